"""What the made-up letters of relation_cases.py say: sentences, labels and names by language.

Written for this project. {d} a date, {m} a month with its year, {a} an amount, {n} a number,
{r} a reference, {p} the person written to, {s} the sender, {c} a place.
"""

from __future__ import annotations

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
}

NAMES = {
    "en": (
        "Oliver Amelia Harry Isla George Poppy Noah Freya Arthur Ivy Leo Grace",
        "Whitfield Marlowe Ashdown Pemberton Kirkby Hollis Draycott Fenwick Lockhart Seaton Thorne Wexley",
    ),
    "de": (
        "Anton Frieda Jonas Clara Emil Lotte Moritz Greta Paul Ida Karl Thea",
        "Brandauer Ostwald Seidler Mertens Kirchhoff Lindner Vogler Hartung Ziegler Petersen Rademacher Quandt",
    ),
    "fr": (
        "Lucien Manon Hugo Camille Gaspard Élodie Rémi Solène Théo Margaux Basile Inès",
        "Delacroix Fontaine Garnier Lemoine Marchand Perrault Rousselot Tessier Vasseur Baudry Chauvet Morel",
    ),
    "es": (
        "Álvaro Lucía Mateo Carmen Diego Sofía Hugo Elena Pablo Nuria Iván Rocío",
        "Echeverría Villanueva Barrientos Cordero Escudero Galindo Herrera Iriarte Montoya Quintana Salcedo Zamora",
    ),
    "it": (
        "Lorenzo Giulia Matteo Chiara Davide Elisa Pietro Sara Tommaso Alba Enrico Marta",
        "Bellini Carraro Donati Esposito Fabbri Grimaldi Lombardi Marchetti Pellegrini Rinaldi Santoro Vitale",
    ),
    "nl": (
        "Daan Fleur Sem Lotte Bram Sanne Thijs Noor Jasper Eva Ruben Maud",
        "Bakker Dijkstra Hoekstra Kuipers Meijer Postma Schouten Veenstra Willems Zijlstra Brouwer Verhoeven",
    ),
    "pl": (
        "Jakub Zofia Antoni Hanna Filip Maja Szymon Alicja Tymon Lena Wojciech Oliwia",
        "Kowalczyk Wiśniewski Zielińska Szymański Dąbrowska Jankowski Mazurek Nowicka Pawlak Sikora Wróbel Górska",
    ),
    "pt": (
        "Afonso Leonor Duarte Matilde Tomás Beatriz Gonçalo Inês Rodrigo Carolina Simão Marta",
        "Albuquerque Bragança Coutinho Figueiredo Guimarães Magalhães Noronha Pacheco Queirós Rezende Sequeira Teixeira",
    ),
}
PLACES = "Aldenmoor Birkfeld Castelmare Dunholt Elstrava Fontbrune Grafenau Hoogwoud Istria Jarnowo Kelmstadt Lindeval Montebruno Noordhave Oliveira Pontresa Quillan Rosenthal Starowice Torrelba Ulverton Villaseca Westerlo Zagorzyn".split()
FIRMS = "Aurelio Bergmann Cobalt Delphin Estrella Falken Granit Helvetica Iberis Juniper Kranich Lumina Meridian Nordwind Orbis Palisade Quarz Rivoli Saphir Tramonto Umbra Vistula Wolkenstein Zephyr".split()
TRADES = {
    "en": "Insurance Utilities Housing Telecom Clinic Leasing",
    "de": "Versicherung Stadtwerke Wohnbau Telekommunikation Praxisklinik Leasing",
    "fr": "Assurances Énergie Habitat Télécom Clinique Mobilité",
    "es": "Seguros Energía Inmobiliaria Telefonía Clínica Renting",
    "it": "Assicurazioni Energia Immobiliare Telefonia Clinica Noleggio",
    "nl": "Verzekeringen Energie Wonen Telecom Kliniek Lease",
    "pl": "Ubezpieczenia Energia Mieszkania Telekom Klinika Leasing",
    "pt": "Seguros Energia Imobiliária Telecom Clínica Locação",
}

# invoice, number, date, customer number, item, quantity, price, sum, tax, total, payable by, page, attachment, original message
LABELS = {
    "en": "Invoice|Invoice no.|Date|Customer no.|Item|Qty|Price|Amount|VAT|Total|Payable by|Page|Enclosure|Original message",
    "de": "Rechnung|Belegnummer|Datum|Kundennr.|Artikel|Anzahl|Preis|Betrag|MwSt.|Endbetrag|Zahlbar bis|Seite|Anlage|Ursprüngliche Nachricht",
    "fr": "Facture|Facture n°|Date|N° client|Article|Quantité|Prix|Montant|TVA|Total TTC|Payable avant le|Page|Annexe|Message d'origine",
    "es": "Factura|Factura n.º|Fecha|N.º de cliente|Artículo|Cantidad|Precio|Importe|IVA|Total|Pagadero hasta|Página|Anexo|Mensaje original",
    "it": "Fattura|Fattura n.|Data|Codice cliente|Articolo|Quantità|Prezzo|Importo|IVA|Totale|Pagabile entro|Pagina|Allegato|Messaggio originale",
    "nl": "Factuur|Factuurnummer|Datum|Klantnummer|Artikel|Aantal|Prijs|Bedrag|btw|Totaal|Te betalen voor|Pagina|Bijlage|Oorspronkelijk bericht",
    "pl": "Faktura|Faktura nr|Data|Nr klienta|Towar|Ilość|Cena|Wartość|VAT|Razem|Termin płatności|Strona|Załącznik|Wiadomość oryginalna",
    "pt": "Fatura|Fatura n.º|Data|N.º de cliente|Artigo|Quantidade|Preço|Valor|IVA|Total|Pagável até|Página|Anexo|Mensagem original",
}

ITEMS = {
    "en": "Inspection of boiler|Garden waste bin|Mobile data option|Spare key|Parking space|Annual membership|Replacement filter|Window cleaning",
    "de": "Prüfung der Therme|Biotonne|Datenoption mobil|Ersatzschlüssel|Stellplatz|Jahresmitgliedschaft|Austauschfilter|Fensterreinigung",
    "fr": "Contrôle de la chaudière|Bac à compost|Option données mobiles|Double de clé|Place de parking|Adhésion annuelle|Filtre de rechange|Lavage des vitres",
    "es": "Revisión de la caldera|Contenedor orgánico|Opción de datos|Copia de llave|Plaza de garaje|Cuota anual|Filtro de recambio|Limpieza de cristales",
    "it": "Controllo della caldaia|Bidone organico|Opzione dati mobili|Copia chiave|Posto auto|Quota annuale|Filtro di ricambio|Pulizia vetri",
    "nl": "Controle van de ketel|Gft-container|Databundel mobiel|Reservesleutel|Parkeerplaats|Jaarlidmaatschap|Vervangfilter|Ramen wassen",
    "pl": "Przegląd kotła|Pojemnik na odpady|Pakiet danych|Zapasowy klucz|Miejsce parkingowe|Składka roczna|Filtr zamienny|Mycie okien",
    "pt": "Inspeção da caldeira|Contentor orgânico|Pacote de dados|Cópia de chave|Lugar de garagem|Quota anual|Filtro de substituição|Limpeza de vidros",
}

GREETING = {
    "en": "Dear {p},|Kind regards",
    "de": "Liebe(r) {p},|Mit besten Grüßen",
    "fr": "Bonjour {p},|Bien cordialement",
    "es": "Estimado/a {p}:|Un cordial saludo",
    "it": "Gentile {p},|Distinti saluti",
    "nl": "Beste {p},|Hartelijke groet",
    "pl": "Szanowny Kliencie {p},|Z wyrazami szacunku",
    "pt": "Caro(a) {p},|Com os melhores cumprimentos",
}

SENTENCES = {
    "en": """The meter at {c} was read on {d} and shows {n} units, which we have entered for {m}.
Your contribution of {a} for {m} will be collected from your account in the usual way.
Please note that the agreement with the reference {r} runs until {d} unless it is cancelled in writing.
We have looked into the matter you raised and found that the entry of {a} was correct.
If you have moved in the meantime, let us know your new address so that mail reaches you in time.
The technician will come on {d} between eight and noon and needs access to the cellar.
Complaints about this settlement can be made within four weeks and should state the reasons.
The average use of households like yours was {n} units in the same quarter.
Our office in {c} is closed on public holidays, but the emergency line is always staffed.
We keep your data only as long as the law demands and pass it to nobody outside the group.
The outstanding balance amounts to {a} and should reach us no later than {d}.
Under the terms of the plan you may change your tariff once a year without any fee.
A reduction of {a} has been granted because the lift was out of order during {m}.
Payments that arrive late may lead to interest at the statutory rate and to reminder fees.
Your file is handled by {p2}, who can be reached on extension {n} in the morning.
The examination of {d} gave no cause for concern, and the next one is due in two years.""",
    "de": """Am {d} wurde der Stand {n} in {c} abgelesen und für {m} übernommen.
Ihren Anteil von {a} für {m} ziehen wir wie gewohnt von Ihrem Konto ein.
Die Vereinbarung mit dem Aktenzeichen {r} läuft bis {d}, sofern sie nicht schriftlich beendet wird.
Wir haben Ihren Hinweis geprüft und festgestellt, dass die Buchung über {a} richtig war.
Falls Sie inzwischen umgezogen sind, nennen Sie uns bitte die neue Anschrift, damit Post ankommt.
Der Techniker kommt am {d} zwischen acht und zwölf Uhr und braucht Zugang zum Keller.
Einwände gegen diese Aufstellung sind binnen vier Wochen mit Begründung möglich.
Vergleichbare Haushalte haben im selben Quartal durchschnittlich {n} Einheiten verbraucht.
Unser Büro in {c} ist an Feiertagen geschlossen, der Notdienst ist jedoch immer besetzt.
Ihre Angaben speichern wir nur so lange, wie das Gesetz es verlangt, und geben sie nicht weiter.
Offen ist derzeit ein Betrag von {a}, der bis spätestens {d} bei uns eingehen sollte.
Nach den Regeln des Tarifs dürfen Sie einmal im Jahr ohne Gebühr wechseln.
Weil der Aufzug im {m} stillstand, haben wir eine Minderung von {a} gewährt.
Verspätete Zahlungen können zu Zinsen in gesetzlicher Höhe und zu Mahngebühren führen.
Ihre Akte betreut {p2}, vormittags erreichbar unter der Durchwahl {n}.
Die Untersuchung vom {d} war unauffällig, die nächste steht in zwei Jahren an.""",
    "fr": """Le compteur situé à {c} a été relevé le {d} et indique {n} unités pour {m}.
Votre cotisation de {a} pour {m} sera prélevée sur votre compte comme d'habitude.
La convention portant la référence {r} court jusqu'au {d} sauf dénonciation par écrit.
Nous avons examiné votre remarque et constaté que l'écriture de {a} était exacte.
Si vous avez déménagé entre-temps, indiquez-nous votre nouvelle adresse sans tarder.
Le technicien passera le {d} entre huit heures et midi et devra accéder à la cave.
Toute contestation de ce décompte doit être motivée et parvenir sous quatre semaines.
Les foyers comparables ont consommé en moyenne {n} unités au cours du même trimestre.
Notre bureau de {c} est fermé les jours fériés, mais l'astreinte répond toujours.
Nous conservons vos données aussi longtemps que la loi l'exige et ne les cédons à personne.
Le solde restant dû s'élève à {a} et doit nous parvenir au plus tard le {d}.
Selon les règles de la formule, vous pouvez changer d'option une fois par an sans frais.
Une réduction de {a} vous est accordée car l'ascenseur était en panne en {m}.
Les paiements tardifs peuvent entraîner des intérêts au taux légal et des frais de rappel.
Votre dossier est suivi par {p2}, joignable le matin au poste {n}.
L'examen du {d} n'a rien révélé d'inquiétant et le prochain aura lieu dans deux ans.""",
    "es": """El contador situado en {c} se leyó el {d} y marca {n} unidades para {m}.
Su cuota de {a} correspondiente a {m} se cargará en su cuenta como de costumbre.
El acuerdo con la referencia {r} estará vigente hasta el {d} salvo aviso por escrito.
Hemos revisado su observación y comprobado que el apunte de {a} era correcto.
Si entretanto se ha mudado, comuníquenos la nueva dirección para que le llegue el correo.
El técnico pasará el {d} entre las ocho y las doce y necesita entrar en el sótano.
Las reclamaciones sobre esta liquidación deben motivarse y presentarse en cuatro semanas.
Los hogares parecidos consumieron por término medio {n} unidades en el mismo trimestre.
Nuestra oficina de {c} cierra los festivos, pero el servicio de guardia atiende siempre.
Guardamos sus datos solo el tiempo que exige la ley y no los cedemos a nadie.
El saldo pendiente asciende a {a} y debe llegarnos a más tardar el {d}.
Según las reglas de la tarifa puede cambiar de modalidad una vez al año sin coste.
Se le concede una rebaja de {a} porque el ascensor estuvo averiado en {m}.
Los pagos atrasados pueden generar intereses al tipo legal y gastos de reclamación.
Su expediente lo lleva {p2}, a quien puede llamar por la mañana a la extensión {n}.
La revisión del {d} no mostró nada preocupante y la próxima toca dentro de dos años.""",
    "it": """Il contatore di {c} è stato letto il {d} e segna {n} unità per {m}.
La sua quota di {a} per {m} sarà addebitata sul conto come di consueto.
L'accordo con riferimento {r} vale fino al {d} salvo disdetta scritta.
Abbiamo esaminato la sua segnalazione e la scrittura di {a} risulta corretta.
Se nel frattempo ha cambiato casa, ci comunichi il nuovo indirizzo per ricevere la posta.
Il tecnico passerà il {d} tra le otto e mezzogiorno e dovrà accedere alla cantina.
Eventuali contestazioni di questo conteggio vanno motivate entro quattro settimane.
Le famiglie simili hanno consumato in media {n} unità nello stesso trimestre.
Il nostro ufficio di {c} è chiuso nei festivi, ma il pronto intervento risponde sempre.
Conserviamo i suoi dati solo per il tempo richiesto dalla legge e non li cediamo a nessuno.
Il saldo ancora aperto ammonta a {a} e deve pervenirci al più tardi il {d}.
Secondo le regole della tariffa può cambiare opzione una volta all'anno senza spese.
Le è stata concessa una riduzione di {a} perché l'ascensore era guasto in {m}.
I pagamenti in ritardo possono comportare interessi legali e spese di sollecito.
La sua pratica è seguita da {p2}, raggiungibile al mattino all'interno {n}.
La visita del {d} non ha mostrato nulla di preoccupante e la prossima è fra due anni.""",
    "nl": """De meter in {c} is op {d} opgenomen en staat voor {m} op {n} eenheden.
Uw bijdrage van {a} voor {m} schrijven wij zoals gewoonlijk van uw rekening af.
De afspraak met kenmerk {r} loopt tot {d} tenzij u schriftelijk opzegt.
Wij hebben uw opmerking bekeken en de boeking van {a} bleek juist te zijn.
Bent u intussen verhuisd, geef dan uw nieuwe adres door zodat post u bereikt.
De monteur komt op {d} tussen acht en twaalf uur en moet in de kelder kunnen.
Bezwaar tegen deze afrekening kan binnen vier weken met opgave van redenen.
Vergelijkbare huishoudens verbruikten in hetzelfde kwartaal gemiddeld {n} eenheden.
Ons kantoor in {c} is op feestdagen gesloten, de storingsdienst is altijd bereikbaar.
Uw gegevens bewaren wij niet langer dan de wet vraagt en geven wij aan niemand door.
Het openstaande saldo bedraagt {a} en moet uiterlijk {d} bij ons binnen zijn.
Volgens de regels van het tarief mag u een keer per jaar kosteloos wisselen.
Omdat de lift in {m} stilstond hebben wij een korting van {a} verleend.
Te late betalingen kunnen leiden tot wettelijke rente en aanmaningskosten.
Uw dossier ligt bij {p2}, in de ochtend bereikbaar op toestel {n}.
Het onderzoek van {d} gaf geen reden tot zorg en het volgende is over twee jaar.""",
    "pl": """Licznik w miejscowości {c} odczytano {d} i wskazuje on {n} jednostek za {m}.
Państwa składka w wysokości {a} za {m} zostanie pobrana z konta jak zwykle.
Porozumienie o sygnaturze {r} obowiązuje do {d}, chyba że zostanie wypowiedziane na piśmie.
Sprawdziliśmy Państwa uwagę i stwierdziliśmy, że zapis na {a} był prawidłowy.
Jeśli zmienili Państwo mieszkanie, prosimy podać nowy adres, aby poczta docierała na czas.
Technik przyjdzie {d} między ósmą a dwunastą i potrzebuje dostępu do piwnicy.
Zastrzeżenia do tego rozliczenia można zgłosić w ciągu czterech tygodni z uzasadnieniem.
Podobne gospodarstwa zużyły w tym samym kwartale średnio {n} jednostek.
Nasze biuro w {c} jest zamknięte w święta, ale pogotowie techniczne działa zawsze.
Dane przechowujemy tylko tak długo, jak wymaga tego prawo, i nikomu ich nie przekazujemy.
Do zapłaty pozostaje {a}, a kwota powinna wpłynąć najpóźniej {d}.
Według zasad taryfy można raz w roku bezpłatnie zmienić wariant.
Przyznano obniżkę {a}, ponieważ winda w {m} była nieczynna.
Spóźnione wpłaty mogą powodować odsetki ustawowe i koszty upomnienia.
Sprawę prowadzi {p2}, dostępna rano pod numerem wewnętrznym {n}.
Badanie z {d} nie wykazało niczego niepokojącego, następne odbędzie się za dwa lata.""",
    "pt": """O contador em {c} foi lido no dia {d} e marca {n} unidades para {m}.
A sua quota de {a} relativa a {m} será debitada na conta como habitualmente.
O acordo com a referência {r} vigora até {d} salvo denúncia por escrito.
Analisámos a sua observação e confirmámos que o lançamento de {a} estava certo.
Se entretanto mudou de casa, indique-nos a nova morada para que o correio chegue.
O técnico passa no dia {d} entre as oito e o meio-dia e precisa de aceder à cave.
As reclamações sobre este apuramento devem ser fundamentadas em quatro semanas.
Os lares semelhantes gastaram em média {n} unidades no mesmo trimestre.
O nosso escritório em {c} fecha nos feriados, mas o piquete atende sempre.
Guardamos os seus dados apenas enquanto a lei o exigir e não os cedemos a ninguém.
O saldo em dívida é de {a} e deve chegar-nos o mais tardar em {d}.
Segundo as regras do tarifário pode mudar de opção uma vez por ano sem custos.
Foi concedida uma redução de {a} porque o elevador esteve avariado em {m}.
Os pagamentos em atraso podem originar juros à taxa legal e despesas de aviso.
O seu processo é acompanhado por {p2}, contactável de manhã na extensão {n}.
O exame de {d} não revelou nada de preocupante e o próximo é daqui a dois anos.""",
}

# Scripts without spaces: name, sentences.
CJK = {
    "zh": (
        "赵建国 钱丽华 孙志强 周美玲 吴海涛 郑雪梅 冯大伟 陈晓燕 褚文斌 卫国庆",
        "尊敬的{p}先生或女士：|您位于{c}的电表已于{d}抄录，读数为{n}度。|本月应缴金额为{a}元，将从您的银行账户中扣除。|合同编号{r}的有效期至{d}，如需终止请提前书面通知我们。|如对本账单有异议，请在四周之内说明理由并与客服联系。|您的案件由{p2}负责，上午可拨打分机{n}。|因电梯在{m}停运，已为您减免{a}元费用。|逾期付款将按照法律规定收取利息和催款费用。|技术人员将于{d}上午八点至十二点上门，请保证地下室可以进入。|我们仅在法律要求的期限内保存您的个人资料，不会向任何人转让。|此致敬礼",
    ),
    "ja": (
        "佐々木健一 高橋美咲 渡辺拓也 伊藤由美 山口大輔 中村恵子 小林誠 加藤真由美 吉田修 松本彩",
        "{p}様|いつもお世話になっております。|{c}のメーターは{d}に検針され、使用量は{n}でした。|今月のご請求額{a}円は、ご指定の口座から引き落とされます。|契約番号{r}は{d}まで有効です。解約の際は書面でお知らせください。|この明細にご不明な点がございましたら、四週間以内にご連絡ください。|担当者は{p2}です。午前中は内線{n}でお受けいたします。|{m}はエレベーターが停止していたため、{a}円を減額いたしました。|お支払いが遅れた場合は、法定の利息と督促料がかかることがあります。|技術者が{d}の午前中に伺いますので、地下室への立ち入りをお願いいたします。|お客様の情報は法律で定められた期間のみ保管いたします。|今後ともよろしくお願い申し上げます。",
    ),
}
CJK_PLACES = "东湖路 长江街 花园村 青山区 临海镇 白云里 桜丘町 緑ヶ丘 若葉台 港南区".split()
