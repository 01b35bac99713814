"""Everything that speaks with Paperless-ngx: its API, and the folder where its hook leaves events."""
