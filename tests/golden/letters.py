"""Letters in many scripts, and what may happen to them, for the golden file: always the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, islice

from paperless_fingerprint.model import Document

# Sender, subject with a month, two months, three sentences, a name and another, a street.
LANGUAGES: dict[str, tuple[str, str, tuple[str, str], str, tuple[str, str], str]] = {
    "en": (
        "Brightwater Energy Ltd", "Your statement for", ("June", "July"),
        ("We bill you for the following services. The meter was read by the network operator and "
        "checked by us. The amount is collected from your account within fourteen days."),
        ("Margaret Holloway", "Peter Ashdown"), "Orchard Lane",
    ),
    "de": (
        "Nordlicht Energie AG", "Ihre Abrechnung für", ("Juni", "Juli"),
        ("Für den genannten Zeitraum berechnen wir Ihnen die folgenden Leistungen. Der Zählerstand "
        "wurde durch den Netzbetreiber übermittelt und geprüft. Der Betrag wird abgebucht."),
        ("Anna Lindqvist", "Maria Brandtner"), "Wiesenweg",
    ),
    "fr": (
        "Lumière du Nord SA", "Votre facture de", ("juin", "juillet"),
        ("Nous vous facturons les prestations suivantes pour la période indiquée. Le relevé a été "
        "transmis par le gestionnaire du réseau et vérifié. Le montant sera prélevé sur le compte."),
        ("Hélène Marchand", "Luc Fontaine"), "rue des Lilas",
    ),
    "es": (
        "Energía del Norte SL", "Su factura de", ("junio", "julio"),
        ("Le facturamos los siguientes servicios del período indicado. La lectura fue transmitida "
        "por el operador de la red y comprobada. El importe se cargará en su cuenta bancaria."),
        ("Carmen Ortega", "Pablo Serrano"), "calle del Olmo",
    ),
    "pl": (
        "Zorza Energia SA", "Rachunek za", ("czerwiec", "lipiec"),
        ("Za podany okres naliczamy następujące usługi. Stan licznika został przekazany przez "
        "operatora sieci i sprawdzony. Kwota zostanie pobrana z rachunku w ciągu czternastu dni."),
        ("Zofia Kowalczyk", "Marek Nowicki"), "ulica Lipowa",
    ),
    "ru": (
        "Северный свет", "Ваш счёт за", ("июнь", "июль"),
        ("За указанный период мы начисляем следующие услуги. Показания счётчика переданы сетевой "
        "компанией и проверены. Сумма будет списана с вашего счёта в течение четырнадцати дней."),
        ("Ольга Соколова", "Иван Лебедев"), "улица Садовая",
    ),
    "el": (
        "Βόρειο Φως ΑΕ", "Ο λογαριασμός σας για", ("Ιούνιος", "Ιούλιος"),
        ("Για την περίοδο που αναφέρεται σας χρεώνουμε τις παρακάτω υπηρεσίες. Η ένδειξη του μετρητή "
        "διαβιβάστηκε από τον διαχειριστή και ελέγχθηκε. Το ποσό θα χρεωθεί στον λογαριασμό σας."),
        ("Ελένη Παππά", "Νίκος Δήμου"), "οδός Ελιάς",
    ),
    "ar": (
        "شركة ضوء الشمال", "كشف الحساب لشهر", ("يونيو", "يوليو"),
        ("نرسل إليكم فاتورة الخدمات التالية عن الفترة المذكورة. تمت قراءة العداد من قبل مشغل الشبكة "
        "وتم التحقق منها. سيتم خصم المبلغ من حسابكم خلال أربعة عشر يوما من تاريخ هذه الرسالة."),
        ("فاطمة حداد", "كريم منصور"), "شارع الزيتون",
    ),
    "he": (
        "אור הצפון", "החשבון שלך לחודש", ("יוני", "יולי"),
        ("אנו מחייבים אותך עבור השירותים הבאים לתקופה הנקובה. קריאת המונה נמסרה על ידי מפעיל הרשת "
        "ונבדקה. הסכום ייגבה מחשבון הבנק שלך בתוך ארבעה עשר ימים מתאריך מכתב זה."),
        ("רחל כהן", "דוד לוי"), "רחוב הזית",
    ),
    "hi": (
        "उत्तरी ज्योति लिमिटेड", "आपका बिजली का बिल", ("जून", "जुलाई"),
        ("हम आपको बताई गई अवधि की निम्नलिखित सेवाओं का बिल भेज रहे हैं। मीटर की रीडिंग नेटवर्क संचालक ने भेजी और "
        "हमने जाँची। यह राशि चौदह दिन के भीतर आपके खाते से ली जाएगी और रसीद भेजी जाएगी।"),
        ("सुनीता शर्मा", "राकेश वर्मा"), "कमल मार्ग",
    ),
    "ta": (
        "வடக்கு ஒளி நிறுவனம்", "உங்கள் மின் கட்டணம்", ("ஜூன்", "ஜூலை"),
        ("குறிப்பிட்ட காலத்திற்கான பின்வரும் சேவைகளுக்கு கட்டணம் விதிக்கிறோம். மீட்டர் அளவீடு இயக்குநரால் "
        "அனுப்பப்பட்டு சரிபார்க்கப்பட்டது. தொகை பதினான்கு நாட்களில் உங்கள் கணக்கிலிருந்து எடுக்கப்படும்."),
        ("லட்சுமி நாராயணன்", "குமார் செல்வம்"), "தாமரை தெரு",
    ),
    "th": (
        "บริษัท แสงเหนือ จำกัด", "ใบแจ้งค่าไฟฟ้าประจำเดือน", ("มิถุนายน", "กรกฎาคม"),
        ("เราขอเรียกเก็บค่าบริการดังต่อไปนี้สำหรับช่วงเวลาที่ระบุ ผู้ดำเนินการโครงข่ายได้ส่งค่ามิเตอร์มาและเราตรวจสอบแล้ว "
        "จำนวนเงินจะถูกหักจากบัญชีของท่านภายในสิบสี่วัน"),
        ("สมศรี ใจดี", "ประเสริฐ ทองคำ"), "ถนนดอกบัว",
    ),
    "zh": (
        "北方之光能源有限公司", "您的账单", ("六月", "七月"),
        ("我们就上述期间的下列服务向您收费。电表读数由电网运营商提供并经我们核对。款项将在十四天内从您的账户中扣除。"
        "如有疑问请致电客户服务部门。"),
        ("王丽华", "陈志强"), "果园路",
    ),
    "ja": (
        "北光エネルギー株式会社", "ご請求書", ("六月分", "七月分"),
        ("下記の期間のサービスについてご請求いたします。検針値は送配電会社から提供され、当社で確認しました。"
        "金額は十四日以内にお客様の口座から引き落とされます。"),
        ("佐藤美香", "鈴木健一"), "桜通り",
    ),
    "ko": (
        "북빛 에너지 주식회사", "귀하의 청구서", ("유월", "칠월"),
        ("기재된 기간의 다음 서비스에 대하여 청구합니다. 검침 값은 망 운영자가 전달하였고 당사가 확인하였습니다. "
        "금액은 십사 일 이내에 귀하의 계좌에서 인출됩니다."),
        ("김수진", "박민호"), "벚꽃로",
    ),
}  # fmt: skip

_CONFUSED = dict(zip("oO0l1I5S8Bceuvrn", "0O olI1S5B8ecvunr", strict=False))


def letter(language: str, number: int, *, month: int = 0, name: int = 0) -> str:
    """One letter of a sender; the same number is the same customer."""
    sender, subject, months, sentences, names, street = LANGUAGES[language]
    rng = random.Random(f"{language} {number} {month} {name}")
    own = random.Random(f"{language} {number}")
    customer, house = own.randrange(10**6, 10**7), own.randrange(1, 90)
    net = rng.randrange(3_000, 90_000)
    amounts = [net, net * 19 // 100, net * 119 // 100]
    shown = [f"{value // 100},{value % 100:02}" for value in amounts]
    lines = [
        sender, f"{names[name]}", f"{street} {house}", f"{customer}",
        f"{subject} {months[month]} 2024", f"{rng.randrange(1, 29):02}.0{6 + month}.2024",
        f"2024-{rng.randrange(100, 999)}", sentences, *shown,
    ]  # fmt: skip
    return "\n".join(lines)


def misread(text: str, rate: float, seed: object) -> str:
    rng = random.Random(f"{seed} {rate}")
    kept = []
    for sign in text:
        if sign.strip() and rng.random() < rate:
            kept.append(_CONFUSED.get(sign) or rng.choice(("", sign + sign, "i")))
        else:
            kept.append(sign)
    return "".join(kept)


def happened(language: str, number: int) -> Iterator[tuple[str, str]]:
    """A letter under a name for each of the things that may have happened to it."""
    own = letter(language, number)
    lines = own.split("\n")
    words = own.split(" ")
    yield "printed", own
    for rate in (0.01, 0.03, 0.08):
        yield f"misread {rate:.0%}", misread(own, rate, (language, number))
    yield "stamped", f"EINGEGANGEN 17. 7. 2024 Abt. 3\n{own}"
    yield "reordered", "\n".join([*lines[7:], *lines[:7]])
    yield "line lost", "\n".join(lines[:3] + lines[4:])
    yield "next month", letter(language, number, month=1)
    yield "other name", own.replace(LANGUAGES[language][4][0], LANGUAGES[language][4][1])
    yield "other month", own.replace(*LANGUAGES[language][2])
    yield "corrected", own.replace(lines[-1], f"{number + 11},75")
    yield "reworded", " ".join(words[:-6] + words[-3:] + ["2025", "addendum", "novum"])
    yield "bundled", "\n".join([letter(language, number + 50, name=1), own, letter("en", 99)])


def library(language: str) -> list[tuple[str, Document]]:
    """Two letters with what happened to them, under names."""
    named = [
        (f"{language} {number} {name}", text)
        for number, things in ((1, None), (2, 7))
        for name, text in islice(happened(language, number), things)
    ]
    return [
        (name, Document(id, title=f"scan {id}", content=text, created="2024-07-01"))
        for id, (name, text) in enumerate(named, 1)
    ]


def pairs(language: str) -> Iterator[tuple[tuple[str, Document], tuple[str, Document]]]:
    yield from combinations(library(language), 2)
