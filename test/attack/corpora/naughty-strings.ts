import { phrases, words } from './words.ts'

export const markup = '<xq'

/** Strings that have broken programs before. `~tag~` becomes the request's tag (cast/references.ts). */
export const naughtyStrings: readonly string[] = [
  ...words(`
  true null undefined NaN -0 1e400 0x7f 9007199254740993 __proto__ constructor prototype toString
  hasOwnProperty __defineGetter__ $ne $where $gt a.b . .. {"$ne":null} $$ROOT ../../../../etc/passwd
  %00%ff%2e%2e%2f %s%n%d%x =1+1 @SUM(1) -2+3 " ""~tag~" ,;,; http://127.0.0.1:~trap~/~tag~
  https://user:pass@example.com/ file:///etc/passwd data:text/html,<xq> https://example.com/~urltag~ a@b
  22000001 ~tag~ \0 a\0b \ud800 a\udfffb \ud83d \ufffe\uffff \u202e~tag~\u202d \u2066~tag~ \u200b\u200d\u2060
  \u1e9b\u0323 İıſK １２３４５６ ٠١٢٣٤٥ ..\\..\\windows\\win.ini
  `),
  ...phrases(`
  e\u0301 \u00e9 \ufb01 \u2126 \u03a9 ~tag~ | 👩‍👩‍👧‍👦🇲🇷🏳️‍🌈 ~tag~ | الدفع ~tag~ بالمحفظة |
  田中さん ｆｕｌｌ ｗｉｄｔｈ | 𝒯𝑒𝓍𝓉 𐍈 🂡 | [object Object] | ' OR '1'='1 | '; return true; var a=' |
  1;DROP TABLE intents-- | +cmd|"/c calc"!A1 | +222 22 00 00 01 | ~tag~ plain
  `),
  '',
  ' ',
  '\t\r\n',
  '\r\nSet-Cookie: a=b',
  '\u0085\u2028\u2029',
  '\ufeff~tag~',
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘',
  '${7*7}{{7*7}}<%= 7*7 %>#{7*7}',
  '$(touch /tmp/x)`id`|id;id&',
  '${jndi:ldap://127.0.0.1:~trap~/a}',
  `${markup} onx=1>~tag~`,
  `"'>${markup}/onload=alert(1)>`,
  `</title></textarea></script>${markup}>`,
  `javascript:alert(1)//${markup}>`,
  `&lt;${markup}&#62;`,
  `<!--${markup}-->`,
  `<![CDATA[${markup}]]>`,
  `\u2028${markup}\u2029`,
  '\t=HYPERLINK("http://127.0.0.1")',
  'x'.repeat(65),
  'x'.repeat(201),
  'é'.repeat(200),
  '😀'.repeat(200),
  '~tag~'.padEnd(501, 'y'),
  '\u0301'.repeat(2000),
  'z'.repeat(10_000),
  'a '.repeat(30_000),
]

export const naughtyNames: readonly string[] = [
  ...words(`
  __proto__ constructor prototype toString valueOf then length $ne $where $set $expr a.b . $ _id businessId
  sandbox status outbox amountPaid effects refundsCommitted ~tag~ toJSON __v \0 \ud800
  `),
  '',
  'x'.repeat(65),
  'z'.repeat(5000),
]
