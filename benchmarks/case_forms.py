"""Kinds of pages for relation_cases.py besides its letters: full-page forms with tables of numbers.

FAMILIES names them. Each shares the vocabulary below across eight languages, and none shares a
sentence with case_texts.py, so a judgement fitted on some families can be tested on the others.
"""

from __future__ import annotations

import itertools
import random

import case_texts as texts

# opening balance, closing balance, gross, net, deductions, hours, tenant, landlord, present,
# agenda, decided, account, period, insured, premium, diagnosis, employee no., total, page, signature
WORDS = {
    "en": "Opening balance|Closing balance|Gross pay|Net pay|Deductions|Hours|Tenant|Landlord|Present|Agenda|Resolved|Account|Period|Insured person|Premium|Diagnosis|Employee no.|Total|Page|Signature",
    "de": "Alter Saldo|Neuer Saldo|Bruttolohn|Auszahlung|Abzüge|Stunden|Mieter|Vermieter|Anwesend|Tagesordnung|Beschlossen|Konto|Zeitraum|Versicherte Person|Prämie|Diagnose|Personalnummer|Summe|Blatt|Unterschrift",
    "fr": "Ancien solde|Nouveau solde|Salaire brut|Net à payer|Retenues|Heures|Locataire|Bailleur|Présents|Ordre du jour|Décision|Compte|Période|Assuré|Prime|Diagnostic|Matricule|Total|Feuille|Signature",
    "es": "Saldo anterior|Saldo final|Salario bruto|Líquido a percibir|Deducciones|Horas|Arrendatario|Arrendador|Asistentes|Orden del día|Acuerdo|Cuenta|Periodo|Asegurado|Prima|Diagnóstico|Número de empleado|Total|Hoja|Firma",
    "it": "Saldo iniziale|Saldo finale|Retribuzione lorda|Netto in busta|Trattenute|Ore|Conduttore|Locatore|Presenti|Ordine del giorno|Delibera|Conto|Periodo|Assicurato|Premio|Diagnosi|Matricola|Totale|Foglio|Firma",
    "nl": "Beginsaldo|Eindsaldo|Brutoloon|Nettoloon|Inhoudingen|Uren|Huurder|Verhuurder|Aanwezig|Agenda|Besloten|Rekening|Periode|Verzekerde|Premie|Diagnose|Personeelsnummer|Totaal|Blad|Handtekening",
    "pl": "Saldo początkowe|Saldo końcowe|Wynagrodzenie brutto|Do wypłaty|Potrącenia|Godziny|Najemca|Wynajmujący|Obecni|Porządek obrad|Uchwalono|Rachunek|Okres|Ubezpieczony|Składka|Rozpoznanie|Numer pracownika|Suma|Arkusz|Podpis",
    "pt": "Saldo anterior|Saldo final|Vencimento ilíquido|Líquido a receber|Descontos|Horas|Inquilino|Senhorio|Presentes|Ordem de trabalhos|Deliberação|Conta|Período|Segurado|Prémio|Diagnóstico|Número mecanográfico|Total|Folha|Assinatura",
}

# What stands in the rows of tables.
ENTRIES = {
    "en": "Standing order rent|Card payment groceries|Salary|Cash withdrawal|Direct debit gas|Pension contribution|Income tax|Night shift bonus|Travel refund|Church rates|Union fee|Meal vouchers|Bank charges|Interest|Transfer to savings|Bookshop|Pharmacy|Fuel station",
    "de": "Dauerauftrag Miete|Kartenzahlung Lebensmittel|Gehalt|Barabhebung|Lastschrift Gas|Rentenversicherung|Lohnsteuer|Nachtzuschlag|Reisekosten|Kirchensteuer|Gewerkschaft|Essenszuschuss|Kontogebühr|Zinsen|Übertrag Sparbuch|Buchhandlung|Apotheke|Tankstelle",
    "fr": "Virement loyer|Achat carte supermarché|Traitement|Retrait espèces|Prélèvement gaz|Retraite complémentaire|Impôt à la source|Prime de nuit|Frais de mission|Mutuelle|Syndicat|Titres restaurant|Frais bancaires|Intérêts|Virement épargne|Librairie|Pharmacie|Carburant",
    "es": "Transferencia alquiler|Compra tarjeta|Nómina|Retirada efectivo|Recibo gas|Cotización jubilación|Retención IRPF|Plus nocturnidad|Dietas|Seguro médico|Cuota sindical|Vales comida|Comisión|Intereses|Traspaso ahorro|Librería|Farmacia|Gasolinera",
    "it": "Bonifico affitto|Pagamento carta|Stipendio|Prelievo contanti|Addebito gas|Contributi pensione|Ritenuta IRPEF|Indennità notturna|Rimborso viaggio|Fondo sanitario|Quota sindacale|Buoni pasto|Spese conto|Interessi|Giroconto risparmio|Libreria|Farmacia|Distributore",
    "nl": "Overboeking huur|Pinbetaling supermarkt|Salaris|Geldopname|Incasso gas|Pensioenpremie|Loonheffing|Nachttoeslag|Reiskosten|Zorgverzekering|Vakbond|Lunchvergoeding|Kosten rekening|Rente|Naar spaarrekening|Boekhandel|Apotheek|Tankstation",
    "pl": "Przelew czynsz|Płatność kartą|Pensja|Wypłata gotówki|Polecenie zapłaty gaz|Składka emerytalna|Zaliczka na podatek|Dodatek nocny|Zwrot delegacji|Składka zdrowotna|Związek zawodowy|Bony żywieniowe|Opłata za konto|Odsetki|Przelew oszczędności|Księgarnia|Apteka|Stacja paliw",
    "pt": "Transferência renda|Compra cartão|Ordenado|Levantamento|Débito gás|Segurança social|Retenção IRS|Subsídio noturno|Ajudas de custo|Seguro de saúde|Quota sindical|Cartão refeição|Comissões|Juros|Transferência poupança|Livraria|Farmácia|Combustível",
}

# Clauses and remarks; {a} an amount, {d} a date, {n} a number, {p} and {p2} people, {c} a place.
CLAUSES = {
    "en": """The rent of {a} is due on the third working day of each month and is paid without any deduction.
A deposit equal to two months of rent is kept on a separate account until the keys are handed back.
Repairs that do not cost more than {a} in each case are carried out by the occupant.
Pets larger than a cat may only be kept after written consent, which can be withdrawn.
The meeting was opened by {p2} at {n} minutes past seven and a quorum was confirmed.
It was agreed to ask three builders for an offer before the roof above the stairs is renewed.
The treasurer reported that reserves had grown, while spending on cleaning went beyond the plan.
On admission the patient complained about pain in the left knee that became worse on stairs.
We prescribed a brace and gymnastics twice a week and would like to see the patient again soon.
Objections have to be raised before the end of the following month, otherwise the account counts as approved.
Cover begins at noon on {d} and is extended by one year unless one side gives notice.
Damage must be reported at once, with pictures and an estimate where that is possible.
Holiday that was not taken lapses at the end of March unless the firm asked to postpone it.
Neither side may hand on what it has learned about the business of the other one.
Should one of these rules be void, the remaining ones stay in force without change.""",
    "de": """Die Miete von {a} ist am dritten Werktag eines jeden Monats ohne Abzug fällig.
Eine Sicherheit in Höhe von zwei Monatsmieten liegt bis zur Rückgabe der Schlüssel auf einem eigenen Konto.
Reparaturen, die im Einzelfall {a} nicht überschreiten, führt der Bewohner selbst aus.
Tiere, die größer sind als eine Katze, brauchen eine Erlaubnis, die widerrufen werden kann.
Die Sitzung eröffnete {p2} um {n} Minuten nach sieben und stellte die Beschlussfähigkeit fest.
Man einigte sich darauf, drei Angebote einzuholen, bevor das Dach über der Treppe erneuert wird.
Der Kassenwart berichtete, dass die Rücklagen gewachsen sind, die Reinigung aber teurer wurde als geplant.
Bei der Aufnahme klagte der Patient über Schmerzen im linken Knie, die auf Treppen schlimmer wurden.
Wir haben eine Schiene und zweimal wöchentlich Gymnastik verordnet und bitten um Wiedervorstellung.
Einwendungen sind vor Ablauf des folgenden Monats zu erheben, sonst gilt der Abschluss als genehmigt.
Der Schutz beginnt am {d} mittags und verlängert sich um ein Jahr, wenn niemand kündigt.
Schäden sind unverzüglich zu melden, möglichst mit Bildern und einem Kostenvoranschlag.
Nicht genommener Urlaub verfällt Ende März, sofern die Firma nicht um Verschiebung gebeten hat.
Keine Seite darf weitergeben, was sie über die Geschäfte der anderen erfahren hat.
Sollte eine dieser Regeln nichtig sein, bleiben die übrigen unverändert in Kraft.""",
    "fr": """Le loyer de {a} est exigible le troisième jour ouvrable de chaque mois sans aucune déduction.
Un dépôt de garantie égal à deux loyers reste sur un compte séparé jusqu'à la remise des clés.
Les réparations dont le coût ne dépasse pas {a} sont à la charge de l'occupant.
Les animaux plus grands qu'un chat ne sont admis qu'avec un accord écrit et révocable.
La séance est ouverte par {p2} à dix-neuf heures {n} et le quorum est constaté.
Il est convenu de demander trois devis avant de refaire la toiture de l'escalier.
Le trésorier indique que les réserves ont augmenté mais que le nettoyage dépasse le budget.
À l'admission le patient se plaignait de douleurs au genou gauche aggravées dans les escaliers.
Nous avons prescrit une attelle et de la gymnastique deux fois par semaine avant un contrôle.
Toute objection doit être formulée avant la fin du mois suivant, faute de quoi le compte est approuvé.
La garantie prend effet le {d} à midi et se prolonge d'un an sauf résiliation.
Les dommages doivent être déclarés aussitôt, si possible avec des photos et un devis.
Les congés non pris sont perdus fin mars sauf report demandé par l'entreprise.
Aucune des parties ne peut divulguer ce qu'elle apprend des affaires de l'autre.
Si l'une de ces règles était nulle, les autres resteraient en vigueur sans changement.""",
    "es": """La renta de {a} vence el tercer día hábil de cada mes y se paga sin descuento alguno.
Una fianza equivalente a dos rentas queda en una cuenta aparte hasta la entrega de las llaves.
Las reparaciones que no superen {a} en cada caso corren a cargo del ocupante.
Los animales mayores que un gato requieren permiso escrito, que puede retirarse.
Abre la sesión {p2} a las siete y {n} minutos y comprueba que hay quórum.
Se acuerda pedir tres presupuestos antes de renovar el tejado de la escalera.
La tesorera informa de que las reservas han crecido y de que la limpieza costó más de lo previsto.
Al ingreso el paciente refería dolor en la rodilla izquierda que empeoraba al subir escalones.
Hemos indicado una férula y gimnasia dos veces por semana y deseamos volver a verle pronto.
Las objeciones deben plantearse antes de acabar el mes siguiente o la cuenta se dará por buena.
La cobertura empieza el {d} a mediodía y se prorroga un año salvo aviso de una parte.
Los daños deben comunicarse enseguida, con fotografías y un presupuesto si es posible.
Las vacaciones no disfrutadas caducan a finales de marzo salvo aplazamiento de la empresa.
Ninguna parte puede difundir lo que conozca de los negocios de la otra.
Si alguna de estas reglas fuera nula, las demás seguirán vigentes sin cambio.""",
    "it": """Il canone di {a} scade il terzo giorno lavorativo di ogni mese e si paga senza detrazioni.
Un deposito pari a due mensilità resta su un conto separato fino alla riconsegna delle chiavi.
Le riparazioni che non superano {a} ciascuna sono a carico di chi abita.
Gli animali più grandi di un gatto richiedono un permesso scritto e revocabile.
La seduta viene aperta da {p2} alle sette e {n} minuti con il numero legale.
Si decide di chiedere tre preventivi prima di rifare il tetto sopra le scale.
Il tesoriere riferisce che le riserve sono cresciute mentre la pulizia ha superato il previsto.
Al ricovero il paziente lamentava dolore al ginocchio sinistro, peggiore sulle scale.
Abbiamo prescritto un tutore e ginnastica due volte a settimana e attendiamo il controllo.
Le obiezioni vanno presentate entro la fine del mese seguente, altrimenti il conto si intende approvato.
La copertura inizia il {d} a mezzogiorno e si proroga di un anno salvo recesso.
I danni vanno segnalati subito, possibilmente con fotografie e un preventivo.
Le ferie non godute si perdono a fine marzo salvo rinvio chiesto dalla ditta.
Nessuna parte può diffondere ciò che apprende degli affari dell'altra.
Se una di queste regole fosse nulla, le altre restano valide senza modifiche.""",
    "nl": """De huur van {a} vervalt op de derde werkdag van elke maand en wordt zonder aftrek betaald.
Een waarborg van twee maanden huur blijft op een aparte rekening tot de sleutels terug zijn.
Herstellingen die per geval niet meer dan {a} kosten verricht de bewoner zelf.
Dieren groter dan een kat vragen schriftelijke toestemming, die kan worden ingetrokken.
De vergadering werd geopend door {p2} om {n} minuten over zeven en was voltallig.
Afgesproken is drie offertes te vragen voordat het dak boven de trap wordt vernieuwd.
De penningmeester meldt dat de reserves groeiden en dat schoonmaak duurder uitviel dan gepland.
Bij opname klaagde de patiënt over pijn in de linkerknie die op de trap erger werd.
Wij schreven een brace en tweemaal per week oefeningen voor en zien de patiënt graag terug.
Bezwaren dienen voor het einde van de volgende maand te komen, anders geldt de afrekening als akkoord.
De dekking begint op {d} om twaalf uur en loopt een jaar door tenzij iemand opzegt.
Schade moet meteen worden gemeld, liefst met foto's en een raming.
Niet opgenomen verlof vervalt eind maart tenzij de firma om uitstel vroeg.
Geen van beide mag doorgeven wat over de zaken van de ander bekend werd.
Mocht een van deze regels nietig zijn, dan blijven de andere onverkort gelden.""",
    "pl": """Czynsz w kwocie {a} jest płatny trzeciego dnia roboczego każdego miesiąca bez potrąceń.
Kaucja równa dwóm czynszom pozostaje na osobnym koncie aż do zwrotu kluczy.
Naprawy, które nie przekraczają {a} każda, wykonuje mieszkaniec na własny koszt.
Zwierzęta większe od kota wymagają pisemnej zgody, którą można cofnąć.
Zebranie otworzyła osoba {p2} o godzinie siódmej minut {n} i stwierdziła kworum.
Postanowiono zebrać trzy oferty, zanim dach nad klatką zostanie odnowiony.
Skarbnik poinformował, że rezerwy wzrosły, a sprzątanie kosztowało więcej niż planowano.
Przy przyjęciu pacjent zgłaszał ból lewego kolana, nasilający się na schodach.
Zalecono ortezę i gimnastykę dwa razy w tygodniu oraz ponowną wizytę wkrótce.
Sprzeciw należy wnieść przed końcem następnego miesiąca, inaczej rozliczenie uznaje się za przyjęte.
Ochrona zaczyna się {d} w południe i przedłuża o rok, jeśli nikt nie wypowie.
Szkody trzeba zgłosić od razu, w miarę możliwości ze zdjęciami i kosztorysem.
Niewykorzystany urlop przepada z końcem marca, chyba że firma prosiła o przesunięcie.
Żadna ze stron nie może ujawniać tego, co wie o interesach drugiej.
Gdyby któraś z tych reguł była nieważna, pozostałe obowiązują bez zmian.""",
    "pt": """A renda de {a} vence-se no terceiro dia útil de cada mês e paga-se sem desconto.
Uma caução igual a duas rendas fica em conta separada até à entrega das chaves.
As reparações que não excedam {a} cada uma ficam a cargo do ocupante.
Animais maiores do que um gato exigem licença escrita, que pode ser retirada.
A sessão foi aberta por {p2} às sete e {n} minutos com quórum verificado.
Foi acordado pedir três orçamentos antes de renovar o telhado da escada.
O tesoureiro informou que as reservas cresceram e que a limpeza custou mais do que o previsto.
Na admissão o doente queixava-se de dor no joelho esquerdo que piorava nas escadas.
Receitámos uma tala e ginástica duas vezes por semana e gostaríamos de rever o doente.
As objeções devem surgir antes do fim do mês seguinte, senão a conta fica aprovada.
A cobertura começa em {d} ao meio-dia e prolonga-se um ano salvo aviso.
Os danos devem ser comunicados logo, com fotografias e um orçamento se possível.
As férias não gozadas caducam no fim de março salvo adiamento pedido pela firma.
Nenhuma parte pode divulgar o que souber dos negócios da outra.
Se uma destas regras for nula, as restantes mantêm-se em vigor sem alteração.""",
}
STREETS = "Rosengasse|Mill Lane|Rue du Lac|Calle Mayor|Via Roma|Dorpsstraat|ulica Polna|Rua Nova|Church Road|Am Anger|Avenue Foch|Kerkweg".split(
    "|"
)
FAMILIES = ("letter", "statement", "payslip", "contract", "minutes", "report", "bill", "policy")


def pages(sender, kind: str, v) -> list[list[str]]:
    """Two halves, as Sender.letter() gives them; what belongs to the form comes from the sender."""
    rng = random.Random(v.seed)
    form = random.Random(sender.number * 7919 + len(kind))
    fixed = random.Random(sender.number if v.fixed_amounts else v.seed + 1)
    language = sender.language
    word = WORDS[language].split("|")
    names = texts.MONTHS[language].split()
    month = f"{names[v.month - 1]} {v.year}"
    person = random.Random(v.name + sender.firm)
    address = f"{form.choice(STREETS)} {person.randrange(1, 190)}"
    number = f"{sender.prefix}{person.randrange(10**5, 10**8)}"
    clauses = CLAUSES[language].split("\n")
    entries = ENTRIES[language].split("|")
    amounts = itertools.cycle([f"{sender.amount(fixed)} {sender.currency}" for _ in range(5)])

    def filled(sentence: str) -> str:
        return sentence.format(
            a=next(amounts), d=sender.date(rng, v.year, v.month), n=fixed.randrange(2, 59),
            p=v.name, p2=v.other_name, c=sender.place,
        )  # fmt: skip

    head = [sender.firm, f"{form.choice(STREETS)} {form.randrange(1, 90)}, {sender.place}"]
    to = [v.name, address, form.choice(texts.PLACES)]
    if kind == "statement":
        top = [
            *head,
            *to,
            f"{word[11]} {number} {word[12]} {month}",
            f"{word[0]} {sender.amount(fixed)}",
        ]
        for day in sorted(fixed.sample(range(1, 29), fixed.randrange(8, 18))):
            sign = fixed.choice("+-")
            top.append(
                f"{day:02d}.{v.month:02d}. {fixed.choice(entries)} {fixed.randrange(10**5)} {sign}{sender.amount(fixed, 300, 90000)}"
            )
        top.append(f"{word[1]} {sender.amount(fixed)} {sender.currency}")
        return [
            top,
            [filled(s) for s in form.sample([clauses[9], clauses[11], clauses[13], clauses[14]], 3)]
            + [f"IBAN {sender.iban}"],
        ]
    if kind == "payslip":
        top = [*head, *to, f"{word[16]} {number}", f"{word[12]} {month}"]
        for entry in form.sample(entries, 8):
            top.append(
                f"{entry} {fixed.randrange(1, 170)} {sender.amount(fixed, 100, 4000)} {sender.amount(fixed, 1000, 400000)}"
            )
        top += [f"{w} {sender.amount(fixed, 90000, 500000)}" for w in (word[2], word[4], word[3])]
        return [
            top,
            [
                filled(clauses[12]),
                filled(clauses[13]),
                f"{word[19]} {v.other_name}",
                f"IBAN {person.randrange(10**19, 10**20)}",
            ],
        ]
    if kind == "contract":
        top = [
            *head,
            f"{word[7]}: {v.other_name}",
            f"{word[6]}: {v.name}, {address}",
            f"{number} {sender.date(rng, v.year, v.month)}",
        ]
        chosen = form.sample(clauses[:4] + clauses[10:], form.randrange(6, 9))
        body = [f"§ {k} {filled(s)}" for k, s in enumerate(chosen, 1)]
        return [
            top + body[:3],
            [
                *body[3:],
                f"{sender.place}, {sender.date(rng, v.year, v.month)}",
                f"{word[19]} {v.name} {v.other_name}",
            ],
        ]
    if kind == "minutes":
        people = [sender.person(random.Random(sender.number * 31 + k)) for k in range(4)]
        top = [
            *head,
            f"{month}, {sender.date(rng, v.year, v.month)}",
            f"{word[8]}: {v.name}, {', '.join(people)}",
            word[9],
        ]
        body = [
            f"{k}. {filled(s)}"
            for k, s in enumerate([clauses[4], *fixed.sample(clauses[5:], 5)], 1)
        ]
        return [
            top + body[:2],
            [
                *body[2:],
                f"{word[10]}: {fixed.randrange(3, 40)} / {fixed.randrange(0, 9)}",
                f"{word[19]} {v.other_name}",
            ],
        ]
    if kind == "report":
        top = [
            *head,
            f"{v.name}, {sender.date(person, 1930 + person.randrange(70), person.randrange(1, 13))}",
            f"{number}",
            sender.date(rng, v.year, v.month),
        ]
        top += [
            f"{word[15]}: {fixed.choice('MKIEJ')}{fixed.randrange(10, 99)}.{fixed.randrange(9)}"
        ]
        values = [
            f"{n} {fixed.randrange(1, 300)},{fixed.randrange(10)} ({form.randrange(1, 90)} - {form.randrange(90, 300)})"
            for n in ("Hb", "Leuko", "CRP", "Na", "K", "GFR", "TSH")
        ]
        return [
            top + values,
            [filled(s) for s in [clauses[7], clauses[8], *form.sample(clauses[9:], 2)]]
            + [v.other_name],
        ]
    if kind == "bill":
        label = texts.LABELS[language].split("|")
        top = [
            *to,
            sender.firm,
            f"{label[1]} {sender.prefix}{rng.randrange(10**4, 10**7)}  {label[2]} {sender.date(rng, v.year, v.month)}",
            f"{label[3]} {number}",
            month,
        ]
        for k, entry in enumerate(fixed.sample(entries, fixed.randrange(6, 14)), 1):
            q, p = fixed.randrange(1, 20), fixed.randrange(100, 9000)
            top.append(
                f"{k} {fixed.randrange(10**4, 10**6)} {entry} {q} {sender.amount(fixed, p, p + 1)} {sender.amount(fixed, p * q, p * q + 1)}"
            )
        top += [
            f"{label[7]} {sender.amount(fixed)}",
            f"{label[8]} 19 % {sender.amount(fixed)}",
            f"{label[9]} {sender.amount(fixed)} {sender.currency}",
        ]
        return [
            top,
            [filled(s) for s in form.sample(clauses[9:12], 2)]
            + [
                f"{label[10]} {sender.date(rng, v.year, v.month % 12 + 1)}",
                f"IBAN {sender.iban} {sender.phone}",
            ],
        ]
    assert kind == "policy", kind
    top = [
        *to,
        *head,
        f"{number} {word[13]}: {v.name}",
        f"{word[12]}: {sender.date(rng, v.year, v.month)}",
        f"{word[14]}: {sender.amount(fixed)} {sender.currency} {month}",
    ]
    return [
        top,
        [filled(s) for s in [clauses[10], clauses[11], *form.sample(clauses[12:], 2)]]
        + [v.other_name, sender.phone],
    ]
