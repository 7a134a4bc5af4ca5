import { words } from './words.ts'

export const segments: readonly string[] = [
  ...words(`
  %00 %ff % %2 %zz %C0%AF %ED%A0%80 %2e%2e .. . %2F %252F %5C %E2%80%AE %0d%0aX:y ~own.intent.0~%00
  ~own.intent.0~%20 %20~own.intent.0~ ~own.intent.0~%2Fcancel ~own.intent.0~;a=b ~own.intent.0~%3Fa
  ~own.intent.0~%23 PI- PI-AAAAAAAAAAAAAAAA pi-aaaaaaaaaaaaaaaa 507f1f77bcf86cd799439011
  507F1F77BCF86CD799439011 000000000000000000000000 [object%20Object] %5B%24ne%5D __proto__ constructor
  hasOwnProperty null undefined NaN -1 0 * %25 + %2B %3Cxq%3E
  `),
  '{"$ne":null}'.replaceAll('"', '%22'),
  'a'.repeat(300),
  '%61'.repeat(1000),
  'é'.normalize('NFD').replace(/./gu, encodeURIComponent),
]

export const lines: readonly string[] = [
  ...words(`
  * //evil.example/api/v1/dev/intents ///api/v1/dev/intents http://evil.example/api/v1/dev/intents
  https://127.0.0.1/ /api//v1/dev/intents /api/v1/../v1/dev/intents /api/v1/./dev/intents
  /api/v1/dev/intents/ /API/V1/DEV/INTENTS /api/v1/dev/intents;x=y /api/v1/dev/intents%3Fpage=1
  /api/v1/dev%2Fintents /api/v1/dev/intents? /api/v1/dev/intents??page=1 /api/v1/dev/intents#x
  /..%2f..%2fetc/passwd /admin/..;/queues /admin//queues /admin/%2e%2e/api/v1/dev/intents /p/%00
  /p/%3Cxq%3E?lang=%3Cxq%3E&amount=%3Cxq%3E /?lang[]=en&lang=ar&__proto__[x]=1 /sandbox/%2e%2e
  /__proto__/constructor
  `),
  '/\\evil.example',
  `/${'a'.repeat(8000)}`,
  `/api/v1/dev/intents?${'a=b&'.repeat(3500)}`,
]

export const queries: readonly string[] = [
  ...words(`
  page=0 page=-1 page=1e3 page=0x10 page=01 page=999999999999999 page=9999999999999999 page=1.5 page=%00
  page= page page=1&page=2 page[]=1 page[$gt]=1 page=%EF%BC%91 limit=0 limit=101 limit=99999999999999999999
  limit=-5 limit=%2B5 status=PAID&status=PENDING status[$ne]=PAID status=paid status=%50%41%49%44
  status=__proto__ from=2026-02-30 from=9999-12-31T23:59:59Z&to=0000-01-01 from=+275760-09-13
  from=-000001-01-01 from=2026-01-01T24:00:00Z from=2026-01-01T00:00:00%2B99:99 from=1 to=NaN
  to=2026-12-31T23:59:60Z from=2030-01-01&to=2020-01-01 __proto__[polluted]=yes __proto__=x
  constructor[prototype][polluted]=yes constructor.prototype.polluted=yes toString=x&hasOwnProperty=x
  $where=1 % %zz=%zz %ff=%ff &&&=== ? lang=%3Cxq%3E amount=%3Cxq%3E to=//evil.example
  to=/admin%0d%0aSet-Cookie:a=b q=~tag~ q=%3Cxq%20onx%3D1%3E q=%00 activeQueue=__proto__&status=failed
  activeQueue=webhook-delivery&status=failed&page=1e9&jobsPerPage=50
  activeQueue=webhook-delivery&status=failed&page=-1&jobsPerPage=-1 dryRun=true&dryRun=false dryRun=yes
  `),
  `page=${'9'.repeat(400)}`,
  'a'.repeat(7000),
  'x=1&'.repeat(2500),
]

/** `~trap~` is the trap's port, `~allowed~` the reachable server's. */
export const hookUrls: readonly string[] = [
  ...words(`
  http://127.0.0.1:~allowed~/hook/~urltag~ http://127.0.0.1:~allowed~/hook/~urltag~
  http://127.0.0.1:~allowed~/redirect https://hooks.nowhere.example/~urltag~ https://127.0.0.1:~trap~/
  http://127.0.0.1:~trap~/ https://localhost:~trap~/ https://[::1]:~trap~/
  https://[::ffff:127.0.0.1]:~trap~/ https://[64:ff9b::7f00:1]:~trap~/ https://[2002:7f00:1::]:~trap~/
  https://2130706433:~trap~/ https://0x7f000001:~trap~/ https://0177.0.0.1:~trap~/ https://127.1:~trap~/
  https://0:~trap~/ https://127.0.0.1.:~trap~/ https://127%2e0%2e0%2e1:~trap~/
  https://169.254.169.254/latest/meta-data/ https://metadata.google.internal/ https://10.0.0.1/
  https://127.0.0.1:~allowed~/hook http://localhost:~allowed~/hook http://127.0.0.1:~allowed~@127.0.0.1:~trap~/
  https://example.com@127.0.0.1:~trap~/ https://example.com:~trap~@example.com/ https://a.example:22/
  ftp://a.example/ gopher://127.0.0.1:~trap~/_x https://a.example/#~urltag~ https://xn--a.example/
  https://d0.attack.example:~trap~/ https://d1.attack.example:~trap~/~urltag~
  `),
  'https://１２７.０.０.１:~trap~/',
  'https://example.com\\@127.0.0.1:~trap~/',
  'https://a.example/\r\nX: y',
  `https://a.example/${'a'.repeat(2040)}`,
]
