"""Words after or before which a full stop, or a blank, says something about the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NEVER_END: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        tag: frozenset(words.split())
        for tag, words in {
            "ar": "د أ م ا ص ج ق هـ",
            "as": "ড শ্ৰী অধ্যা",
            "be": "г гг ст праф акад ім вул",
            "bg": "проф инж доц",
            "bn": "ডা ড মো মোঃ প্রফেসর রা সা",
            "ca": "sr sra dr dra prof",
            "da": "hr fr dr prof stk nr kl tlf",
            "de": "hr fr dr prof nr st abs bd art",
            "el": "κ κα κκ δρ καθ αρ",
            "et": "hr pr dr prof nr lk",
            "fa": "د م",
            "fr": "m mm mr mlle mme mgr dr pr st ste n° nº",
            "gu": "ડૉ ડો શ્રી પ્રો",
            "he": "ד פרופ עו",
            "hi": "डॉ डा श्री श्रीमती प्रो मि कु पं",
            "hr": "g gđa dr prof br sv",
            "hu": "dr prof id ifj özv",
            "id": "dr drs ir prof no tn ny sdr",
            "ka": "კვ კმ მ სმ მმ ა წ წწ ე გვ",
            "kk": "ж жж т б",
            "kn": "ಡಾ ಶ್ರೀ ಪ್ರೊ",
            "ky": "ж жж б у с к",
            "mk": "г ѓ ул бр проф акад",
            "ml": "ഡോ ശ്രീ പ്രൊഫ",
            "mr": "डॉ श्री प्रा कै सौ",
            "ms": "dr prof tn en pn",
            "nb": "hr fr dr prof nr kl tlf",
            "ne": "डा श्री प्रा",
            "nl": "dhr mevr dr prof nr mr ir",
            "or": "ଡା ଡଃ ଶ୍ରୀ",
            "pa": "ਡਾ ਸ ਸ੍ਰੀ ਪ੍ਰੋ",
            "pl": "p dr prof mgr inż nr ul św",
            "pt": "sr sra srta dr dra prof profa eng av n.º nº",
            "ro": "dl dna d-na dr prof nr str sf",
            "ru": "г гг проф акад им ул",
            "sa": "डा डॉ श्री",
            "si": "ආචාර්ය මහාචාර්ය කි මි සෙ පෙ ප",
            "sk": "p dr prof ing č sv",
            "cs": "p dr prof ing č sv",
            "sl": "g ga dr prof št sv",
            "sr": "г гђа др проф бр св g gđa dr prof br sv",
            "es": "sr sra srta dr dra prof profa ud uds n° nº núm av cra",
            "it": "sig sigg dott prof ing avv n°",
            "sv": "hr fr dr prof nr kl tel",
            "ta": "திரு டாக்டர் முனைவர் டா",
            "te": "డా శ్రీ ప్రొ",
            "th": "ดร นาย น.ส ศ รศ ผศ พ.ต",
            "tr": "dr prof doç av sn yrd no",
            "uk": "проф акад ім вул ст",
            "vi": "ts ths gs pgs bs th.s tp ks",
        }.items()
    }
)
"""Titles and the like, case folded: a name or a number follows, never another sentence."""

MAY_END: frozenset[str] = frozenset(
    (
        "co", "corp", "inc", "ltd", "llc", "etc", "ecc", "usw", "u.s", "e.u", "u.k", "u.s.a", "u.n", "p.m",
        "a.m", "jr", "sr", "ph.d", "m.d", "osv", "mv", "m.m", "m.v", "enz", "e.v", "a.s", "s.a", "gmbh",
        "bros",
    )
)  # fmt: skip
"""Abbreviations that do end a sentence where a word follows that opens one."""

_OPENERS: Mapping[str, str] = MappingProxyType(
    {
        "da": "Jeg Du Han Hun Det Den De Der Vi Hvad Hvem Hvor Hvorfor Hvordan Men Og Så Da Når Dette Disse",
        "de": "Ich Du Er Sie Es Wir Ihr Das Der Die Ein Eine Dies Diese Dieser Dann Danach Da Aber Und Doch Was Wer Wie"
        " Wo Warum Wenn Als Nach In Im Am Auf Mit Für Bei Es Man Auch So Nun Heute",
        "en": "He She It They We You The This That These Those There A An But And However What Who Where Why How When In"
        " At On As If Then His Her Its Their My Our Your After Before For With Some Many Most",
        "es": "Él Ella Ellos El La Los Las Un Una Eso Esto Este Esta Pero Y Qué Quién Dónde Cuando Cómo En Como Entonces",
        "fr": "Il Elle Ils Elles Le La Les Un Une Des Ce Cela Cette Mais Et Je Nous Vous On Que Qui En Dans Pour",
        "it": "Lui Lei Loro Il Lo La I Gli Le Un Una Questo Questa Ma E Io Noi Voi Che Chi Dove Quando Come In",
        "nb": "Jeg Du Han Hun Det Den De Der Vi Hva Hvem Hvor Hvorfor Hvordan Men Og Så Da Når Dette Disse",
        "nl": "Ik Jij Hij Zij Het De Een Dat Dit Deze Die Wij Maar En Wat Wie Waar Waarom Hoe Als Toen In Op",
        "pl": "On Ona Ono Oni To Ten Ta Ale I A Co Kto Gdzie Dlaczego Jak Kiedy W Na Po",
        "pt": "Ele Ela Eles Elas O A Os As Um Uma Isso Isto Este Esta Mas E Eu Nós Que Quem Onde Quando Como Em No Na",
        "sv": "Jag Du Han Hon Det Den De Vi Vad Vem Var Varför Hur Men Och Så Då När Detta Dessa",
    }
)

OPENERS: Mapping[str, frozenset[str]] = MappingProxyType(
    {tag: frozenset(words.split()) for tag, words in _OPENERS.items()}
)
"""Capitalised words that begin sentences and are no names."""

ORDINAL_DOT = frozenset(
    (
        "bs", "cs", "da", "de", "et", "eu", "fi", "fo", "hr", "hsb", "hu", "is", "lb", "lv", "mk", "nb",
        "nn", "no", "sk", "sl", "sr", "tr", "pl", "gsw", "se",
    )
)  # fmt: skip
"""Languages that write an ordinal number with a full stop."""

TIBETAN_CONNECTIVES = frozenset(("དང", "ན", "ནས", "ཞིང", "ཅིང", "ཤིང", "སྟེ", "ཏེ", "ཀྱང", "ཡང", "འང", "ཟད"))
"""Syllables that go on with the sentence after a shad."""


PARTICLES = "ครับ ครับผม ค่ะ คะ นะคะ นะครับ จ้ะ จ้า จ๊ะ ฮะ นะ เถอะ ເດີ້ ເນາະ ແດ່ ແທ້"
"""Particles that end a sentence."""

QUESTIONS = (
    "หรือไม่ หรือยัง หรือเปล่า ไหม มั้ย เท่าไร เท่าไหร่ เท่าใด อย่างไร อะไร ที่ไหน เมื่อไร เมื่อไหร่ ทำไม กันแน่ "
    "ບໍ ຫຼືບໍ່ ຫລືບໍ່ ເທົ່າໃດ ແນວໃດ ຫຍັງ ໃສ"
)
"""Words with which a question ends."""

CONNECTIVES = (
    "อย่างไรก็ตาม อย่างไรก็ดี ถึงอย่างนั้น กระนั้น นอกจากนี้ นอกจากนั้น ยิ่งไปกว่านั้น "
    "ดังนั้น เพราะฉะนั้น ฉะนั้น ด้วยเหตุนี้ ด้วยเหตุผลนี้ ทั้งนี้ ต่อมา หลังจากนั้น จากนั้น "
    "ตัวอย่างเช่น ยกตัวอย่าง ในทางกลับกัน ในทางตรงกันข้าม ในขณะเดียวกัน ขณะเดียวกัน สุดท้าย "
    "ท้ายที่สุด ในที่สุด โดยสรุป สรุป กล่าวคือ ประการ แรกเริ่ม อันดับแรก ขั้นแรก สวัสดี "
    "ขอบคุณ ขออภัย โปรด กรุณา จง "
    "ຢ່າງໃດກໍຕາມ ຢ່າງໃດກໍ່ຕາມ ເຖິງຢ່າງໃດກໍຕາມ ນອກຈາກນີ້ ນອກຈາກນັ້ນ ດັ່ງນັ້ນ ສະນັ້ນ ເພາະສະນັ້ນ "
    "ຈາກນັ້ນ ຫຼັງຈາກນັ້ນ ຕໍ່ມາ ຕົວຢ່າງ ສຸດທ້າຍ ໃນທີ່ສຸດ ສະຫຼຸບ ສະບາຍດີ ຂອບໃຈ ຂໍໂທດ ກະລຸນາ "
    "ໃນຂະນະດຽວກັນ"
)
"""What joins a sentence to those before it, or greets, or asks: it begins one."""

CONDITIONS = "ถ้า หาก แม้ ถึงแม้ นอกจาก ຖ້າ ຫາກ ເຖິງແມ່ນ ເຖິງວ່າ ແມ້ ນອກຈາກ"
"""What begins a clause that a main clause follows."""

CIRCUMSTANCES = (
    "เมื่อ หลัง ก่อน ขณะ ในขณะ ระหว่าง ในระหว่าง นับตั้งแต่ ตั้งแต่ เนื่องจาก เนื่องด้วย "
    "เพราะ จนกระทั่ง ภายหลัง "
    "ເມື່ອ ຫຼັງ ກ່ອນ ຂະນະ ໃນຂະນະ ລະຫວ່າງ ໃນລະຫວ່າງ ຕັ້ງແຕ່ ນັບຕັ້ງແຕ່ ເນື່ອງຈາກ ເພາະ "
    "ຈົນກະທັ້ງ"
)
"""What begins a clause of time or cause, which is before a main clause or after it."""

SUBJECTS = (
    "เขา พวกเขา เธอ พวกเธอ มัน คุณ เรา พวกเรา ฉัน ผม ดิฉัน สิ่งนี้ สิ่งนั้น สิ่งเหล่านี้ นี่ "
    "นั่น แต่ละ หลายคน บาง ทั้งสอง ทั้งคู่ ทั้งหมด ทุก "
    "ລາວ ພວກເຂົາ ພວກລາວ ເຂົາ ມັນ ທ່ານ ເຈົ້າ ພວກເຮົາ ເຮົາ ຂ້ອຍ ຂ້າພະເຈົ້າ ສິ່ງນີ້ ສິ່ງນັ້ນ ນີ້ "
    "ນັ້ນ ແຕ່ລະ ບາງ ທັງສອງ ທັງໝົດ ທຸກ"
)
"""Pronouns and quantifiers that a clause begins with."""

TIMES = (
    "วันนี้ เมื่อวาน พรุ่งนี้ ตอนนี้ ขณะนี้ ปัจจุบัน ในปัจจุบัน ปกติ โดยปกติ โดยทั่วไป ในปี "
    "ในวัน ในช่วง ในตอน ในเดือน ในสัปดาห์ ในเวลา ในอดีต วันจันทร์ วันอังคาร วันพุธ วันต่อมา "
    "วันถัดมา ภายใน รวม บ่อยครั้ง บางครั้ง เดือน ปีที่แล้ว สัปดาห์ ณ "
    "ມື້ນີ້ ມື້ວານ ມື້ອື່ນ ຕອນນີ້ ປັດຈຸບັນ ໃນປັດຈຸບັນ ໂດຍທົ່ວໄປ ໃນປີ ໃນວັນ ໃນຊ່ວງ ໃນເດືອນ "
    "ໃນອາທິດ ໃນເວລາ ໃນອະດີດ ວັນຈັນ ວັນອັງຄານ ເດືອນ"
)
"""Adverbs of time and manner that a clause begins with."""

NOUNS = (
    "การ ความ ผู้ นัก ชาว นาย นาง ทาง ประเทศ รัฐ เมือง คน เด็ก บริษัท โรง ระบบ "
    "ການ ຄວາມ ຜູ້ ນັກ ຊາວ ທ້າວ ນາງ ປະເທດ ລັດ ເມືອງ ຄົນ ເດັກ ບໍລິສັດ ໂຮງ ລະບົບ"
)
"""What a noun begins with."""

JOINING = (
    "และ หรือ ซึ่ง ที่ โดย ว่า ของ กับ รวมถึง รวมทั้ง เช่น ได้แก่ คือ จึง ก็ จน บน อัน ทำให้ "
    "ตลอดจน อีกทั้ง ทั้งยัง ต่อ กว่า ถึง เพื่อ สำหรับ ด้วย ตาม จาก พร้อม แต่ ทว่า แล้ว ตลอด "
    "ได้ มากกว่า น้อยกว่า ประมาณ ราว เพียง นั้น นี้ กัน ต่าง ไว้ "
    "ແລະ ຫຼື ຫລື ເຊິ່ງ ຊຶ່ງ ທີ່ ໂດຍ ວ່າ ຂອງ ກັບ ລວມທັງ ລວມເຖິງ ເຊັ່ນ ໄດ້ແກ່ ຄື ຈຶ່ງ ກໍ ຈົນ "
    "ເຮັດໃຫ້ ເພື່ອ ສຳລັບ ດ້ວຍ ຕາມ ຈາກ ພ້ອມ ແຕ່ ແລ້ວ ຕະຫຼອດ ຫຼາຍກວ່າ ປະມານ ພຽງ"
)
"""What goes on with the clause before it."""

CONTRASTS = "ส่วน ขณะที่ ในขณะที่ ສ່ວນ"
"""\"While\": a new clause, of the same sentence as a rule."""

PREDICATES = (
    "มี ไม่ จะ ได้ กำลัง เคย ต้อง ควร อาจ ยัง ถูก สามารถ เป็น อยู่ ใช้ ให้ ทำ เพิ่ม ไป มา ขาย "
    "ซื้อ เริ่ม พบ คง เพิ่ง "
    "ມີ ບໍ່ ຈະ ໄດ້ ກຳລັງ ເຄີຍ ຕ້ອງ ຄວນ ອາດ ຍັງ ຖືກ ສາມາດ ເປັນ ຢູ່ ໃຊ້ ໃຫ້ ເຮັດ ແມ່ນ ໄປ ມາ"
)
"""Verbs and what is before verbs: at the beginning of a piece, its subject is before the blank."""

VERBS = (
    "คือ เป็น ได้ จะ กำลัง เคย ต้อง ไม่ ควร อาจ ยัง ถูก มี อยู่ ใช้ ทำ ให้ สามารถ ซื้อ กิน "
    "ขาย อายุ ใช่ ชอบ จ่าย เท่ากับ คิด พบ กล่าว เริ่ม ไป มา "
    "ແມ່ນ ຄື ເປັນ ໄດ້ ຈະ ກຳລັງ ເຄີຍ ຕ້ອງ ບໍ່ ຄວນ ອາດ ຍັງ ຖືກ ມີ ຢູ່ ໃຊ້ ເຮັດ ໃຫ້ ສາມາດ ກ່າວ "
    "ເລີ່ມ"
)
"""Verbs and what is before verbs; within a piece, it is a clause."""

COPULAS = "คือ เป็น อยู่ ແມ່ນ ຄື ເປັນ ຢູ່"
"""To be."""

COORDINATORS = "และ หรือ ແລະ ຫຼື ຫລື"
"""And, or."""

HANGING = (
    "และ หรือ ซึ่ง โดย เพื่อ ว่า เพราะ ของ จาก กับ รวมถึง รวมทั้ง เช่น ได้แก่ คือ จึง แต่ จน "
    "บน อัน ทำให้ ตลอดจน จะ กว่า ต้อง สามารถ ถึง ใน ราคา จำนวน ประมาณ เมื่อ ถ้า หาก ระหว่าง "
    "ตั้งแต่ นาย นาง ดร. เพียง พวก กำลัง สำหรับ ทั้ง ไม่ "
    "ແລະ ຫຼື ຫລື ເຊິ່ງ ຊຶ່ງ ທີ່ ໂດຍ ເພື່ອ ວ່າ ເພາະ ຂອງ ຈາກ ກັບ ລວມທັງ ລວມເຖິງ ເຊັ່ນ ໄດ້ແກ່ ຄື "
    "ແມ່ນ ຈຶ່ງ ແຕ່ ຈົນ ເຮັດໃຫ້ ຈະ ກວ່າ ຕ້ອງ ສາມາດ ເຖິງ ໃນ ຈຳນວນ ປະມານ ເມື່ອ ຖ້າ ຫາກ ລະຫວ່າງ "
    "ຕັ້ງແຕ່ ທ້າວ ນາງ ພຽງ ກຳລັງ ສຳລັບ ທັງ ບໍ່"
)
"""After these no sentence ends."""
