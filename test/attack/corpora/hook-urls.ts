import { words } from './words.ts'

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
