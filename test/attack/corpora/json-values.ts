import { phrases, words } from './words.ts'

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

export const jsonValues: readonly string[] = [
  ...words(`
  null true false 0 -0 1 -1 0.1 1.0 1e0 5e-324 1e-7 1E2 1e400 -1e400 2147483647 2147483648 4294967296
  999999999 1000000000 1000000001 9007199254740991 9007199254740992 9007199254740993 -9007199254740993
  18446744073709551616 99901 99904 "1" "50000" "99901" "0x10" [] {} [1] ["FIXED"] [null] [[]] {"$ne":null}
  {"$gt":""} {"$in":[1]} {"$where":"sleep(1000)"} {"$numberLong":"1"} {"$oid":"507f1f77bcf86cd799439011"}
  {"$date":0} {"__proto__":{"polluted":"yes"}} {"__proto__":{"toLocaleString":"yes","hasOwnProperty":null}}
  {"constructor":{"prototype":{"polluted":"yes"}}} {"toString":null,"valueOf":null} {"toJSON":"x"}
  {"length":1e9} {"then":"x"} {"a.b":"~tag~","$x":"y"} {"":""} {"type":"Buffer","data":[1,2,3]}
  `),
  `1${'0'.repeat(308)}`,
  '9'.repeat(5000),
  `0.${'1'.repeat(1000)}`,
  nested('[', ']', 9),
  nested('[', ']', 500),
  nested('{"a":', '}', 500).replace('}', '1}'),
  nested('[', ']', 20_000),
  `[${'0,'.repeat(3000)}0]`,
  `[${'{},'.repeat(20_000)}{}]`,
  `{${Array.from({ length: 60 }, (_, i) => `"k${i}":"v"`).join(',')}}`,
  `{${Array.from({ length: 5000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
]

export const jsonTexts: readonly string[] = [
  ...words(`
  null true 0 "" "~tag~" [] [1] {} { } [ ] {"a" {"a": {"a":1 {"a":1,} {,"a":1} {"a"::1} {a:1} {'a':1}
  {"a":1}{"b":2} {"a":1}//c [1,] [,1] [NaN] [Infinity] [-Infinity] [+1] [01] [1.] [.1] [1e] [1e+] [-] [0x1]
  [1_0] nul nulll True undefined ["unclosed ~good~~good~ ~good~, [~good~] {"body":~good~} "~good~"
  amount=5&amountType=FIXED ["\\x"] ["\\u12"] ["\\uD800"] ["\\uD800\\uD800"] ["\\u0000"] ["a\0b"] ~good~\0
  `),
  '',
  ' ',
  '\n',
  ...phrases('{"a" 1} | {"a":1} x | /* c */{} | [1 2]'),
  '#\n{}',
  '["\t"]',
  '["\n"]',
  '\u00a0{}',
  '\u2028{}',
  '\ufeff{}',
  '\ufeff~good~',
  ' \t\r\n~good~\r\n\t ',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  '['.repeat(100_000),
  `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
  `"${'a'.repeat(255_000)}"`,
  `{"a":"${'a'.repeat(600_000)}"}`,
  `{"__proto__":{"polluted":"yes"},"amount":5,"label":"~tag~"}`,
  `{"__proto__":{"toLocaleString":"yes"},"amount":5,"label":"~tag~"}`,
  `{"constructor":{"prototype":{"polluted":"yes"}},"amount":5,"label":"~tag~"}`,
  `{"amount":5,"amount":"6","amount":7,"label":"~tag~"}`,
]

export const jsonBytes: readonly Buffer[] = [
  ...['\xff\xfe', '\xef\xbb\xbf', '\xc3\x28'].map((text) => Buffer.from(text, 'latin1')),
  ...['\xe9', '\xc0\xaf', '\xed\xa0\x80', '\xf4\x90\x80\x80'].map((label) =>
    Buffer.from(`{"label":"${label}","amount":5}`, 'latin1'),
  ),
  Buffer.from('{"amount":5}', 'utf16le'),
  Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('{"amount":5}', 'utf16le')]),
  Buffer.alloc(1000),
  Buffer.from('H4sIAAAAAAAAA6tWSszNL80rUbIyrQUAMoJzQwwAAAA=', 'base64'),
]
