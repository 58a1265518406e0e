import { words } from './pattern.ts'
import type { InjectionPattern } from './pattern.ts'

/** Letters within one sentence. */
const near = '[^.!?。！？।\\n]'

/** Orders to leave earlier instructions, by language: its verbs of dropping and its words for instructions. */
const sources: readonly string[] = [
  // Spanish, Portuguese, Italian, French, Romanian.
  `(?:ignor[ae](?:n|d)?|olvid[ae](?:n|d)?|descart[ae]|omit[ae]|haz caso omiso de)${near}{0,30}(?:instrucciones|indicaciones|órdenes|reglas|directrices)${near}{0,25}(?:anterior|previ|de arriba|que te|del sistema|recibid)`,
  `(?:olvid[ae]|ignor[ae]|esqueç?[ae]|esqueça|dimentica|oublie[z]?|ignore[zr]?)${near}{0,12}(?:todo lo que|tudo o que|tutto (?:ciò|quello) che|tout ce qu)${near}{0,30}(?:dicho|dito|detto|dit|antes|prima|avant)`,
  `(?:ignor[ae]m?|esqueç?[ae]|esqueça|desconsider[ae]|descarte)${near}{0,30}(?:instruções|orientações|regras|comandos|ordens)${near}{0,25}(?:anterior|acima|prévi|do sistema)`,
  `(?:ignora(?:te)?|dimentica(?:te)?|trascura(?:te)?|tralascia)${near}{0,30}(?:istruzioni|indicazioni|regole|comandi|direttive)${near}{0,25}(?:precedenti|sopra|ricevute|del sistema|anteriori)`,
  `(?:ignore[rz]?|oublie[rz]?|néglige[rz]?|ne (?:tiens|tenez) pas compte)${near}{0,30}(?:instructions?|consignes?|directives?|règles|ordres)${near}{0,25}(?:précédent|antérieur|ci-dessus|initial|du système|reçu|d['’]avant)`,
  `(?:ignor(?:ă|ați)|uit(?:ă|ați))${near}{0,30}(?:instrucțiunile|regulile|comenzile)${near}{0,25}(?:anterioare|precedente|de mai sus)`,
  `(?:no (?:sigas|siga|obedezcas)|deja de seguir|não (?:siga|obedeça)|non (?:seguire|obbedire)|ne (?:suis|suivez|respecte[z]?) (?:pas|plus))${near}{0,15}(?:instrucciones|reglas|órdenes|instruções|regras|istruzioni|regole|instructions|consignes|règles)${near}{0,30}(?:que te|anterior|previ|precedent|précédent|sistema|système|dieron|deram|date|données|acima)`,
  `(?:folge|befolge|beachte)${near}{0,20}(?:vorherig|bisherig|vorig|früher|obig)${near}{0,25}(?:anweisung|regel|vorgabe)${near}{0,15}nicht`,
  `не (?:следуй|выполняй|слушай|соблюдай)(?:те)?${near}{0,15}(?:предыдущ|прежн|системн|выше)${near}{0,20}(?:инструкц|указан|правил|команд)`,
  // German, Dutch, Swedish, Danish, Norwegian.
  `(?:ignorier(?:e|t|en sie)|vergiss|vergesst|vergessen sie|missachte|verwirf)${near}{0,25}(?:vorherig|vorig|bisherig|früher|obig|vorangegangen|bestehend|alle deine)${near}{0,25}(?:anweisung|regel|instruktion|vorgabe|befehl|richtlinie|weisung)`,
  `(?:negeer|vergeet)${near}{0,25}(?:voorgaande|vorige|eerdere|bovenstaande|alle)${near}{0,20}(?:instructies|aanwijzingen|regels|opdrachten|richtlijnen)`,
  `(?:ignorer[a]?|glöm|glem|bortse från|se bort fra)${near}{0,25}(?:tidigare|tidligere|föregående|foregående|forrige|ovanstående)${near}{0,20}(?:instru[kx]|regler|anvisning|ordre)`,
  // Slavic languages.
  `(?:(?:про)?игнорируй(?:те)?|забудь(?:те)?|отбрось(?:те)?|отмени(?:те)?|не обращай(?:те)? внимания на)${near}{0,25}(?:предыдущ|прежн|вс[еёя]|ранее|выше|сво[ие]|данны)${near}{0,30}(?:инструкц|указан|правил|команд|ограничен|предписан)`,
  `(?:(?:про)?ігноруй(?:те)?|забудь(?:те)?|відкинь(?:те)?)${near}{0,25}(?:попередн|ус[іе]|вс[іе]|раніш|вищ)${near}{0,30}(?:інструкц|вказівк|правил|команд)`,
  `(?:z?ignoruj(?:cie)?|zapomnij(?:cie)?|pomiń(?:cie)?)${near}{0,25}(?:poprzedni|wcześniejsz|powyższ|dotychczasow)${near}{0,25}(?:instrukcj|polece|zasad|wytyczn)`,
  `(?:ignoruj(?:te)?|zapomeň(?:te)?)${near}{0,25}(?:předchozí|dosavadní|všechny)${near}{0,25}(?:instrukc|pokyn|pravid|příkaz)`,
  // Turkish, Vietnamese, Indonesian, Malay.
  `(?:önceki|yukarıdaki|tüm|bütün)${near}{0,25}(?:talimat|komut|kural|yönerge)\\p{L}{0,8}\\s{0,3}(?:yok say|görmezden gel|unut|dikkate alma)`,
  `(?:bỏ qua|phớt lờ|quên)${near}{0,25}(?:hướng dẫn|chỉ dẫn|chỉ thị|lệnh|quy tắc)${near}{0,15}(?:trước|ở trên|cũ)`,
  `(?:abaikan|lupakan|hiraukan)${near}{0,20}(?:instruksi|perintah|petunjuk|aturan|arahan)${near}{0,15}(?:sebelum|di atas|terdahulu)`,
  // Arabic, Persian, Hebrew.
  `(?:تجاهل|انس|أهمل|الغ)${near}{0,20}(?:التعليمات|الأوامر|القواعد|الإرشادات|الارشادات)${near}{0,15}(?:السابقة|أعلاه|الماضية)`,
  `(?:دستورالعمل|دستور|قوانین)${near}{0,15}(?:قبلی|پیشین|بالا)${near}{0,12}(?:نادیده|فراموش)`,
  `(?:התעלמ?[םיו]?|שכחי?)${near}{0,20}(?:ההוראות|הוראות|הכללים|ההנחיות)${near}{0,15}(?:הקודמ|קודמ|לעיל|שמעל)`,
  // Hindi, Bengali, Thai.
  `(?:पिछले|पूर्व|उपरोक्त|पहले)${near}{0,20}(?:निर्देश|आदेश|नियम)\\p{M}{0,3}\\p{L}{0,3}\\p{M}{0,3}\\s{0,3}(?:को\\s{0,3})?(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल|उपेक्षा)`,
  `(?:পূর্ববর্তী|আগের)${near}{0,20}(?:নির্দেশ|নিয়ম)${near}{0,12}(?:উপেক্ষা|ভুলে)`,
  `(?:เพิกเฉย|ละเว้น|ลืม)${near}{0,25}(?:คำสั่ง|คำแนะนำ|กฎ)${near}{0,15}(?:ก่อนหน้า|ข้างต้น)`,
  // Chinese, Japanese, Korean.
  '(?:忽略|不要(?:再)?(?:遵守|遵循|理会)|不用管|无视|無視|忘记|忘記|忘掉|不要理会|不要理會)[^。!?\\n,，]{0,12}(?:之前|以前|以上|上述|上面|先前|前面|此前)[^。!?\\n,，]{0,10}(?:指令|指示|说明|說明|命令|规则|規則|提示)',
  '(?:これまで|以前|今まで|上記|先ほど|前)の?[^。\\n、]{0,8}(?:指示|命令|ルール|プロンプト|指令)(?:を|は)?(?:すべて|全て|全部)?(?:無視|忘れ)',
  '(?:이전|위|앞|지금까지|기존)[^.\\n]{0,12}(?:지시|명령|지침|규칙|프롬프트)(?:사항|들)?(?:을|를|은|는)?\\s{0,3}(?:모두|전부|다)?\\s{0,3}(?:무시|잊)',
]

/** Stems of the verbs above, of the languages in Latin letters. */
const latinStems: readonly string[] = words(
  'ignor|olvid|descart|omit|omiso|esque|dimentica|trascura|tralascia|oubli|nég|ne |desconsider|uit|' +
    'verg|missachte|verwirf|negeer|gl|bort|zignor|zapom|pomi|sigas|siga|obed|deja|seguire|obbedire|' +
    'folge|beachte|yok say|görmez|unut|dikkate|bỏ qua|phớt|quên|abai|lupa|hirau|fora',
)

/** Stems of their words for instructions. */
const latinOrders: readonly string[] = words(
  'instru|indicacion|orden|órden|reg|directri|orienta|comand|istruzion|indicazion|direttiv|consigne|directive|règl|' +
    'ordre|comenz|anweis|vorgab|befehl|richtlini|weisung|aanwijz|opdracht|richtlijn|anvisning|polece|zasad|wytyczn|' +
    'pokyn|pravid|příkaz|talimat|komut|kural|yönerge|hướng|chỉ|lệnh|quy|perintah|petunjuk|aturan|arahan|' +
    'todo lo que|tudo o que|tutto|tout ce',
)

/** And of the others, or of their words for "earlier". */
const otherStems: readonly string[] = words(
  'игнорируй|забудь|отбрось|отмени|не |ігноруй|відкинь|تجاهل|انس|أهمل|الغ|دستور|قوانین|התעלמ|שכח|' +
    'पिछले|पूर्व|उपरोक्त|पहले|পূর্ববর্তী|আগের|เพิกเฉย|ละเว้น|ลืม|忽略|不要|不用|无视|無視|忘|이전|위|앞|지금까지|기존',
)

/** Orders to leave what the agent was told, in languages other than English. */
export const languagePatterns: readonly InjectionPattern[] = sources.map((source) => ({
  id: 'prompt_injection',
  // Those of other letters start with one of them.
  hints: /\p{Script=Latin}/u.test(source.replaceAll(/\\p\{[A-Z]\}|\\[a-z]/gu, ''))
    ? [latinStems, latinOrders]
    : [otherStems],
  pattern: new RegExp(
    `(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Arabic}])(?:${source.normalize('NFKC')})`,
    'u',
  ),
}))
