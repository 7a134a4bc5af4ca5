/** Public and refused addresses, from IANA's registries and cloud providers' documentation. */

export const words = (text: string): string[] => text.trim().split(/\s+/)

/** The first and last address of every IPv4 block that isn't public. */
const specialV4 = words(`
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.255.255.255
  169.254.0.0 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.0 192.0.2.255
  192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255
  203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255
`)

/** Cloud metadata services, which return secrets, and other special addresses. */
const namedV4 = words(`
  127.0.0.1 169.254.169.254 169.254.170.2 169.254.169.123 168.63.129.16 100.100.100.200 192.0.0.192
`)

/** Addresses just outside the blocks above, and well-known public ones. */
export const publicV4 = words(`
  1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
  169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0
  192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255
  203.0.114.0 223.255.255.255 168.63.129.15 168.63.129.17 100.63.0.1 8.8.8.8 1.1.1.1 93.184.216.34
  41.188.64.1
`)

/** The first and last address of every IPv6 block that isn't public. Two spaces separate blocks. */
const specialV6 = words(`
  ::  ::1  ::2 ::ffff:ffff  ::ffff:0:0 ::ffff:ffff:ffff  ::ffff:0:0:0 ::ffff:0:ffff:ffff
  64:ff9b:: 64:ff9b::ffff:ffff  64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff
  100:: 100::ffff:ffff:ffff:ffff  100:0:0:1:: 100:0:0:1:ffff:ffff:ffff:ffff
  200:: 3ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  400:: 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  2001:: 2001:0:ffff:ffff:ffff:ffff:ffff:ffff  2001:1:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff
  2001:2:: 2001:2:0:ffff:ffff:ffff:ffff:ffff  2001:3:: 2001:3:ffff:ffff:ffff:ffff:ffff:ffff
  2001:4:112:: 2001:4:112:ffff:ffff:ffff:ffff:ffff  2001:10:: 2001:1f:ffff:ffff:ffff:ffff:ffff:ffff
  2001:20:: 2001:2f:ffff:ffff:ffff:ffff:ffff:ffff  2001:30:: 2001:3f:ffff:ffff:ffff:ffff:ffff:ffff
  2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff  2002:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  2620:4f:8000:: 2620:4f:8000:ffff:ffff:ffff:ffff:ffff  3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff
  4000:: 5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  5f00:: 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  6000:: fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  fc00:: fcff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  fd00:: fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  fe00:: fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  fe80:: febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff  fec0:: feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  ff00:: ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
`)

/** Metadata services and other special addresses, and one address in every notation. */
const namedV6 = words(`
  fd00:ec2::254 FD00:0EC2::0254 fd00:ec2:0:0:0:0:0:254 fd00:0ec2:0000:0000:0000:0000:0000:0254 fd00:ec2::0.0.2.84
  fd20:ce::254 ::a9fe:a9fe ::7f00:1 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 0::1 ::0:1 ::0.0.0.1
  ff02::1 ff05::2 FE80::1 fe80::0:1 fec0::1 2001:DB8::1
`)

export const publicV6 = words(`
  2000:: 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:200:: 2001:db7:ffff::1 2001:db9::
  2001:4860:4860::8888 2001:4860:4860:0:0:0:0:8844 2003:: 2003::1 2400:cb00::1 2606:4700:4700::1111
  2606:4700:4700::1.1.1.1 2620:4f:7fff:ffff::1 2620:4f:8001:: 2620:fe::fe 2A00:1450:4001::200E
  2c0f:fb50:4002::1 3ffe:ffff::1 3fff:1000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  2606:4700::1:5efe:a00:1 2606:4700:0:0:1:0:a00:1
`)

const pair = (high: number, low: number): string => (high * 256 + low).toString(16)
export const partsOf = (v4: string): [number, number, number, number] =>
  v4.split('.').map(Number) as [number, number, number, number]

/** Returns every kind of IPv6 address that can embed this IPv4 address, because a gateway may route to it. */
function embedded(v4: string): string[] {
  const [a, b, c, d] = partsOf(v4)
  const hex = `${pair(a, b)}:${pair(c, d)}`
  const flipped = `${pair(255 - a, 255 - b)}:${pair(255 - c, 255 - d)}`
  return [
    `::ffff:${v4}`,
    `::ffff:${hex}`,
    `::FFFF:${hex.toUpperCase()}`,
    `0:0:0:0:0:ffff:${hex}`,
    `0000:0000:0000:0000:0000:ffff:${v4}`,
    `::${v4}`,
    `::ffff:0:${v4}`,
    `64:ff9b::${v4}`,
    `64:ff9b::${hex}`,
    `64:ff9b:1::${hex}`,
    `2002:${hex}::1`,
    `2001:0:4136:e378:8000:63bf:${flipped}`,
    `2606:4700::5efe:${v4}`,
    `2606:4700::200:5efe:${hex}`,
  ]
}

/** Some parsers accept these notations, but no resolver or socket uses them. */
function unusual(v4: string): string[] {
  const [a, b, c, d] = partsOf(v4)
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  return [
    `${whole}`,
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    `${a}.${b * 65536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    [a, b, c, d].map((part) => `0x${part.toString(16)}`).join('.'),
    [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.'),
    [a, b, c, d].map((part) => `${part}`.padStart(3, '0').padStart(4, '0')).join('.'),
    `${v4}.`,
    ` ${v4}`,
    `${v4}\n`,
    `${v4}/32`,
    `${v4}:443`,
    `[::ffff:${v4}]`,
    v4.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    v4.replaceAll('.', '。'),
  ]
}

export const notAddresses = [
  '',
  ' ',
  '\u0000',
  ...words(`
    . : ::: ::1:: 1 256.1.1.1 1.2.3 1.2.3.4.5 -1.2.3.4 1.2.3.4e0 localhost example.com null
    2606:4700:4700::1111%eth0 fe80::1%1 ::1%lo 2606:4700 2606:4700::g 12345:: 2606:4700:4700::1111/128
    [2606:4700:4700::1111] 2606:4700:4700:0:0:0:0:0:1111 ::ffff:256.0.0.1
  `),
]

export const refusedV4 = [...specialV4, ...namedV4]
export const refusedV6 = [...specialV6, ...namedV6]
const embeddedPublic = ['8.8.8.8', '1.1.1.1'].flatMap(embedded)
/** Addresses that DNS64 adds to a name with a public IPv4 address. */
export const synthesised = embeddedPublic.filter((address) => address.startsWith('64:ff9b::'))
export const embeddedV4 = [...refusedV4.flatMap(embedded), ...embeddedPublic]
export const unusualV4 = ['127.0.0.1', '10.1.2.3', '169.254.169.254', '8.8.8.8', '93.184.216.34'].flatMap(
  unusual,
)

export const refusedAddresses = [...refusedV4, ...refusedV6, ...embeddedV4, ...unusualV4, ...notAddresses]
