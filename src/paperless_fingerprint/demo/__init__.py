"""What makes it possible to try the program without a server: a sample library, a stand-in Paperless."""
