import { judgeWebhookUrl } from '../../src/input/webhook-url.ts'

const allowedHosts = new Set(['127.0.0.1:8080', 'localhost:9000', '[::1]:8443', 'receiver:80'])
const check = (url: string): string => {
  const checked = judgeWebhookUrl(url, allowedHosts)
  return 'url' in checked ? checked.url.href : `refused: ${checked.fault}`
}
const stored = (urls: string[]): string[] => urls.filter((url) => 'url' in judgeWebhookUrl(url, allowedHosts))

const wellFormed: [given: string, stored: string][] = [
  ['https://example.com', 'https://example.com/'],
  ['https://example.com/hooks?shop=1&x=%20', 'https://example.com/hooks?shop=1&x=%20'],
  ['HTTPS://Hooks.Example.COM/Path', 'https://hooks.example.com/Path'],
  ['https://example.com:443/', 'https://example.com/'],
  ['https://example.com:1024/', 'https://example.com:1024/'],
  ['https://example.com:65535/', 'https://example.com:65535/'],
  ['https://example.com./hooks', 'https://example.com/hooks'],
  ['https://example.com/hooks#part', 'https://example.com/hooks'],
  ['https://merchant.example/hooks', 'https://merchant.example/hooks'],
  ['https://my_shop.example.com/', 'https://my_shop.example.com/'],
  ['https://bücher.de/', 'https://xn--bcher-kva.de/'],
  ['https://ｅｘａｍｐｌｅ.com/', 'https://example.com/'],
  ['https://ex%61mple.com/', 'https://example.com/'],
  ['https://127.0.0.1.example.com/', 'https://127.0.0.1.example.com/'],
  ['https://example.xn--p1ai/', 'https://example.xn--p1ai/'],
  ['https://example.com/über', 'https://example.com/%C3%BCber'],
]

const malformed = {
  'not absolute': ['', ' ', 'example.com', '//example.com', 'https:example.com', 'https:/example.com'],
  'no host': ['https:', 'https://', 'https:///example.com', 'https://?x', 'https://[::1'],
  backslashes: ['https:\\\\example.com', 'https://example.com\\@evil.example'],
  spaces: ['https://exa mple.com', ' https://example.com', 'https://example.com\n', 'https://exam\tple.com'],
  'characters of the path': ['a b', '\u0000', '\ud800'].map((path) => `https://example.com/${path}`),
  dots: ['https://example..com', 'https://.example.com', 'https://example.com..'],
  'characters of the host': ['https://-example.com', 'https://example-.com', 'https://exa!mple.com'],
  ports: ['https://example.com:99999', 'https://example.com:x'],
  'top-level domains': ['a.c', 'a.123', 'a.0x1', 'xn--a.com'].map((host) => `https://${host}`),
  'long hosts': [`https://${'a'.repeat(64)}.com`, `https://${'a.'.repeat(127)}com`],
}

const long = (length: number, letter: string): string => 'https://example.com/'.padEnd(length, letter)

describe('judgeWebhookUrl', () => {
  for (const [given, expected] of wellFormed)
    it(`accepts ${given}`, () => expect(check(given)).to.equal(expected))

  // test/api/webhook-endpoints.test.ts covers hosts in every notation.
  it('explains why it rejects an IP address or a private name', () => {
    expect(check('https://2130706433/')).to.contain('not an IP address')
    expect(check('https://printer.local/')).to.contain('public host name')
  })

  it('rejects any text that is not an absolute URL', () =>
    expect(stored(Object.values(malformed).flat())).to.deep.equal([]))

  it('rejects every scheme except https', () => {
    const schemes = ['http', 'ftp', 'ws', 'wss', 'file', 'javascript', 'data', 'gopher', 'httpss']
    expect(stored(schemes.map((scheme) => `${scheme}://example.com/`))).to.deep.equal([])
    expect(check('http://example.com/')).to.contain('https://')
  })

  it('rejects user names and passwords, even empty ones', () => {
    const users = ['user', 'user:pass', ':pass', '', ':', 'example.org', 'a@b', '127.0.0.1:8080']
    expect(stored(users.map((user) => `https://${user}@example.com/`))).to.deep.equal([])
    expect(stored(['http://user@127.0.0.1:8080/'])).to.deep.equal([])
    expect(check('https://example.com/@me?a@b')).to.equal('https://example.com/@me?a@b')
  })

  it('still parses non-ASCII letters correctly once V8 has optimised the parser', () => {
    for (let time = 0; time < 20_000; time++) check(`https://example.com/${time}`)
    expect(check('https://bücher.de/')).to.equal('https://xn--bcher-kva.de/')
    expect(check('https://Ã¨.de/')).to.contain('absolute')
  })

  it('accepts 2048 characters and rejects 2049, before and after normalisation', () => {
    expect(check(long(2048, 'a'))).to.have.length(2048)
    expect(check(long(2049, 'a'))).to.contain('2048')
    expect(check(long(1000, 'ü'))).to.contain('2048')
    expect(check(`${long(2040, 'a')}#${'b'.repeat(20)}`)).to.contain('2048')
  })

  it('accepts a host and port allowed by the operator, even with plain HTTP or a private address', () => {
    const v4 = ['http://127.0.0.1:8080/x', 'https://127.0.0.1:8080/', 'http://0x7f.1:8080/']
    const v6 = ['https://[::1]:8443/', 'https://[0:0:0:0:0:0:0:1]:8443/']
    expect(stored([...v4, ...v6, 'http://LOCALHOST:9000/', 'http://receiver/'])).to.have.length(7)
    const otherPorts = ['http://127.0.0.1:8081/', 'http://127.0.0.1/', 'https://receiver/']
    const others = ['http://127.0.0.2:8080/', 'ftp://127.0.0.1:8080/', 'http://localhost:9000.example.com/']
    expect(stored([...otherPorts, ...others])).to.deep.equal([])
  })
})
