import { words } from './words.ts'

type Header = readonly [name: string, value: string]

export const oddHeaders: readonly Header[] = [
  ...words(`
  X-Forwarded-Host:evil.example X-Forwarded-Proto:https Forwarded:for=203.0.113.9;host=evil.example
  X-Real-IP:203.0.113.9 X-HTTP-Method-Override:DELETE X-Original-URL:/admin X-Rewrite-URL:/admin
  X-Request-Id:~tag~<xq> Traceparent:00-00000000000000000000000000000000-0000000000000000-00
  Origin:https://evil.example Origin:null Referer:https://evil.example/<xq> Sec-Fetch-Site:cross-site
  Sec-Fetch-Site:same-origin Sec-Fetch-Dest:iframe Accept:text/html Accept:application/xml;q=9
  Accept-Language:<xq> If-None-Match:* Range:bytes=0-0,-1 Cookie:__Host-staff=forged Upgrade:websocket
  Upgrade:h2c HTTP2-Settings:AAMAAABkAARAAAAAAAIAAAAA Expect:100-continue Expect:200-ok TE:trailers
  Trailer:X-Idempotency-Key Connection:close Max-Forwards:0 Proxy:http://127.0.0.1:~trap~ Content-Length:0
  Content-MD5:x Host:evil.example __proto__:x constructor:x
  `).map((header): Header => {
    const [name = '', ...value] = header.split(':')
    return [name, value.join(':')]
  }),
  ['Traceparent', 'x'.repeat(500)],
  ['Accept-Language', 'a-b;q=0.1,'.repeat(300)],
  ['Accept-Encoding', 'gzip;q=1e9, *'],
  ['Cookie', `__Host-staff=${'a'.repeat(3000)}`],
  ['Cookie', '=;;;=a; __proto__=x; __Host-staff=%00%ff'],
  ['Cookie', '__Host-person=forged; __Host-lang=%00; __Host-person-pending=a'],
  ['Cookie', 'a=b; '.repeat(500)],
  ['User-Agent', '<xq>${jndi:ldap://127.0.0.1:~trap~/a}'],
  ['Connection', 'X-Idempotency-Key, Authorization'],
  ['Host', ''],
  ['X-Forwarded-For', 'not an address'],
  ['X-Long', 'y'.repeat(7000)],
]

export const idempotencyKeys: readonly (string | null)[] = [
  ...words('a 0 null __proto__ $ne "quoted" {"$gt":""} same-for-all-1 same-for-all-2'),
  ...[255, 256, 5000].map((length) => 'k'.repeat(length)),
  null,
  '',
  ' ',
  'one, two',
  '\u00e9\u00ff',
]

/** The service must refuse all of these, although `~key~` is a valid key. */
const bearer = (token: string): string => `Bearer ${token}`

export const badAuthorizations: readonly string[] = [
  ...words('Bearer ~key~ Bearer:~key~'),
  'Basic ~key~',
  'Basic c2tfdGVzdF86',
  'Token ~key~',
  'Bearer\t~key~',
  '',
  ...words('~key~x x~key~ "~key~" sk_test_ sk_root_~key~ {"$ne":null} __proto__').map(bearer),
  ...['', ' ~key~', '~key~, Bearer ~key~', '~key~ ~key~', '[object Object]'].map(bearer),
  'Bearer sk_test_00000000000000000000000000000000000000',
  'Bearer \u00e9\u00ff',
  `Bearer ${'a'.repeat(6000)}`,
]

export const contentTypes: readonly (string | null)[] = [
  ...words(`
  application/json APPLICATION/JSON application/json;charset="UTF-8" application/vnd.api+json
  application/x-www-form-urlencoded multipart/form-data text/plain text/csv text/html application/xml / json
  */*
  `),
  ...words('utf-8 utf-16 utf-7 iso-8859-1 __proto__').map((name) => `application/json; charset=${name}`),
  ...['application/x-www-form-urlencoded', 'text/csv'].map((type) => `${type}; charset=utf-16`),
  ...['x', '', 'b'.repeat(300)].map((boundary) => `multipart/form-data; boundary=${boundary}`),
  'application/json, text/html',
  'application/json; boundary=x; boundary=y',
  'application/json\u00a0',
  `application/json; a=${'x'.repeat(3000)}`,
  null,
  '',
]

export const contentEncodings = [...words('gzip deflate br identity zstd'), 'gzip, gzip', '', 'x'.repeat(500)]

export const oddMethods: readonly string[] = words(
  'TRACE OPTIONS HEAD PUT PATCH DELETE POST GET PROPFIND PURGE SEARCH LOCK QUERY',
)
