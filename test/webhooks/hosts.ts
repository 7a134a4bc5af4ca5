import { embeddedV4, partsOf, refusedV6, words } from './addresses.ts'

/** Addresses that a merchant may try to register. Public ones are refused too, because a URL needs a host name. */
const addresses = words(`
  127.0.0.1 0.0.0.0 10.1.2.3 172.16.5.4 192.168.1.1 100.100.100.200 169.254.169.254 168.63.129.16 8.8.8.8
`)

/** Writes the digits in another script, whose zero has this code point. */
const inScript = (text: string, zero: number): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
const circled = (text: string): string =>
  text.replaceAll(/\d/g, (digit) => '⓪①②③④⑤⑥⑦⑧⑨'.charAt(Number(digit)))
const encoded = (text: string): string => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')

/** Returns an IPv4 address in every notation that a URL parser, a C library or a careless pattern accepts. */
function writings(v4: string): string[] {
  const [a, b, c, d] = partsOf(v4)
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const [hexA, hexB, hexC, hexD] = [a, b, c, d].map((part) => `0x${part.toString(16)}`)
  const [octA, octB, octC, octD] = [a, b, c, d].map((part) => `0${part.toString(8)}`)
  return words(`
    ${v4} ${v4}. ${whole} ${whole}. 0x${whole.toString(16)} 0X${whole.toString(16).toUpperCase()}
    0x${whole.toString(16).padStart(24, '0')} 0${whole.toString(8)} 000000000${whole.toString(8)}
    ${a}.${b * 65536 + c * 256 + d} ${a}.${b}.${c * 256 + d} ${hexA}.${b * 65536 + c * 256 + d}
    ${octA}.${b}.0x${(c * 256 + d).toString(16)} ${hexA}.${hexB}.${hexC}.${hexD}
    ${octA}.${octB}.${octC}.${octD} ${hexA}.${octB}.${c}.${hexD} 00${octA}.${b}.${c}.${d}
    ${a}.${b}.${c}.0000${octD} ${encoded(v4)} ${v4.replaceAll('.', '%2E')} ${v4.replaceAll('.', '。')}
    ${v4.replaceAll('.', '．')} ${v4.replaceAll('.', '｡')} ${inScript(v4, 0xff10)} ${inScript(v4, 0x1d7ce)}
    ${inScript(v4, 0x1d7ec)} ${circled(v4)} ${circled(v4).replaceAll('.', '。')} \u00ad${v4}
    ${v4.slice(0, -1)}\u200b${v4.slice(-1)} ${v4}:443 ${v4}:8443 ${whole + 2 ** 32} ${v4}%00.example.com
    hooks.example.com@${v4} [::ffff:${v4}] [${v4}]
  `)
}

/** Names that are invalid or missing from public DNS. */
const names = words(`
  localhost LOCALHOST localhost. ｌocalhost ⓛⓞⓒⓐⓛⓗⓞⓢⓣ loc%61lhost shop.localhost local\u00adhost localhost.localdomain
  ip6-localhost printer.local printer.LOCAL. printer。local metadata.google.internal METADATA.GOOGLE.INTERNAL
  metadata.google.internal. metadata。google。internal ｍetadata.google.internal metadata%2egoogle%2einternal
  instance-data.ec2.internal metadata kubernetes kubernetes.default.svc.cluster.local
  nas.home.arpa 1.0.0.127.in-addr.arpa router.lan shop.test shop.invalid shop.onion db.corp db.intranet
  host.localdomain nas.home x.private x.alt endpoint com shop.LOCAL internal ai xn--p1ai example..com .example.com example.com.. -a.com a-.com
  xn--a.com www.XN--A.com %78n--a.com xn--mnchen-3ya.xn--a xn--.com xn--0.com xn--abc.com xn--abc-.com xn--a-ecp.ru
  xn--127.0.0.1 127.0.0.1.xn-- 0x7f.1.2.3.4 1.2.3.4.5 127.0.0.0x1g 127.0.0 0 0x 0x0 1 00 ...
  a.b.c.0x10 example.123 example.0 example.1e9 exa!mple.com exa_mple example.c
`)

const ports = words(
  '0 1 7 22 25 53 80 110 143 389 442 444 445 465 587 636 993 1023 65536 99999 -1 x 443x 0x1bb',
)
const users = words('user user:pass :pass : @ example.org user%40 127.0.0.1:8443 %6c')
const zones = words('[fe80::1%25eth0] [fe80::1%eth0] [::1%25lo] [::1%251] [2606:4700:4700::1111%25eth0]')
const brokenV6 = words(
  '[] [:] [::1 ::1 ::1] [::1]] [[::1]] [:::1] [1::2::3] [::12345] [g::1] [v1.fe80::a] [::1].example.com',
)

/** Every text that must be refused between `https://` and `/hooks`. */
export const refusedHosts = [
  ...new Set([
    ...addresses.flatMap(writings),
    ...[...refusedV6, ...embeddedV4.slice(0, 60), '2606:4700:4700::1111'].map((address) => `[${address}]`),
    ...zones,
    ...brokenV6,
    ...names,
    ...ports.map((port) => `hooks.example.com:${port}`),
    ...users.map((user) => `${user}@hooks.example.com`),
  ]),
]

/** Valid names. Some resolve to a forbidden address, which only the resolver can know. */
export const acceptedHosts = words(`
  hooks.example.com hooks.example.com. HOOKS.EXAMPLE.COM hooks.example.com:443 hooks.example.com:0443 hooks.example.com:1024
  hooks.example.com:65535 hooks。example。com ｈooks.example.com ⓗooks.example.com ex%61mple.com bücher.example xn--bcher-kva.example
  XN--BCHER-KVA.example xn--80ak6aa92e.com xn--fa-hia.de ☃.example www.xn--mgba3gch31f.example xn--9n2bp8q.xn--9t4b11yi5a
  my_shop.example.com 127.0.0.1.nip.example 7f000001.rebind.example localhost.example.com 0x7f.1.example.com example.xn--p1ai
`)
