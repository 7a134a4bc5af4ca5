import { randomBytes } from 'node:crypto'
import express from 'express'
import { queueNames } from '../../schemas/jobs.ts'
import { parseConfig } from '../../src/config/config.ts'
import { isWeakKey, isWeakToken } from '../../src/config/faults.ts'
import { parseRedisUrl } from '../../src/config/redis-url.ts'
import { certificate, pem } from '../support/certificate.ts'

const key = Buffer.alloc(32, 7).toString('base64')
const enough = { MONGODB_URL: 'mongodb://127.0.0.1/pi', REDIS_URL: 'redis://127.0.0.1:6379', SECRET_KEY: key }
const inProduction = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.example',
  SECRET_KEY: randomBytes(32).toString('base64'),
  WALLET_PROVIDER_URL: 'https://wallet.example',
  WALLET_PROVIDER_KEY: randomBytes(32).toString('hex'),
  METRICS_TOKEN: randomBytes(16).toString('hex'),
}
const words = (text: string): string[] => text.split(/\s+/)
const faultsOf = (changes: Record<string, string | undefined>): string => {
  try {
    parseConfig({ ...enough, ...changes })
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
const expectRefused = (name: string, values: string[], fault = '', others: Record<string, string> = {}) => {
  for (const value of values)
    expect(faultsOf({ ...others, [name]: value }), value).to.include(`  ${name} ${fault}`)
}
const expectAccepted = (name: string, values: string[]) => {
  for (const value of values) expect(faultsOf({ [name]: value }), value).to.equal('')
}

describe('Configuration parsing', () => {
  it("defaults to the specification's values", () => {
    const config = parseConfig(enough)
    const [url, dayMs] = ['http://localhost:3000', 86_400_000]
    expect(config).to.include({ production: false, port: 3000, publicUrl: url, payUrl: url })
    expect(config).to.include({ maxAmount: 1_000_000_000, intentLifetimeMs: dayMs, codeLifetimeMs: dayMs })
    const retryMs = [30_000, 120_000, 900_000, 3_600_000, 14_400_000, 43_200_000, dayMs]
    expect(config).to.deep.include({ webhookRetryMs: retryMs, webhookTimeoutMs: 30_000 })
    expect(config).to.include({ endpointWarningMs: dayMs, webhookHeaderBrand: 'Service' })
    expect(config).to.deep.include({ trustProxy: [], workerQueues: queueNames, hashMemoryKib: 19_456 })
    expect(config).to.include({ walletProvider: null, walletTimeoutMs: 10_000 })
    expect(config).to.include({ shutdownDrainMs: 2000, shutdownTimeoutMs: 25_000, mongodbCa: null })
    expect(config.redisTrust).to.deep.equal({ ca: null, verify: 'full' })
    expect(config.commissionRates).to.deep.equal({ provider: 200, payer: 100, tof: 1400, tte: 200 })
    expect(config.secretKeys).to.have.lengthOf(1)
  })

  it('treats an empty value as missing', () => {
    const empty = parseConfig({ ...enough, PORT: '', TRUST_PROXY: '', WEBHOOK_RETRY_SECONDS: '' })
    expect(empty).to.deep.equal(parseConfig(enough))
  })

  it('reads every value that is set', () => {
    const { WALLET_PROVIDER_KEY: walletKey } = inProduction
    const provider = { name: 'h.example', url: 'https://h.example/v1', key: walletKey, refunds: true }
    const retryMs = [100, 200, 1000, 1000, 1000, 1000, 1000]
    const rows: [variable: string, text: string, name: string, value: unknown][] = [
      ['NODE_ENV', 'production', 'production', true],
      ['PORT', '8080', 'port', 8080],
      ['PUBLIC_URL', 'https://api.example', 'publicUrl', 'https://api.example'],
      ['PAY_URL', 'https://pay.example', 'payUrl', 'https://pay.example'],
      ['TRUST_PROXY', '10.0.0.0/8, ::1', 'trustProxy', ['10.0.0.0/8', '::1/128']],
      ['WORKER_QUEUES', 'outbox-relay, intent-expiry', 'workerQueues', ['outbox-relay', 'intent-expiry']],
      ['INTENT_LIFETIME_SECONDS', '60', 'intentLifetimeMs', 60_000],
      ['INTENT_LIFETIME_SECONDS', '60', 'codeLifetimeMs', 60_000],
      ['WEBHOOK_RETRY_SECONDS', '0.1,0.2,1,1,1,1,1', 'webhookRetryMs', retryMs],
      ['WEBHOOK_TIMEOUT_SECONDS', '2.5', 'webhookTimeoutMs', 2500],
      ['WALLET_PROVIDER_URL', 'https://h.example/v1/', 'walletProvider', provider],
      ['WALLET_PROVIDER_REFUNDS', 'false', 'walletProvider', { ...provider, refunds: false }],
      ['WALLET_PROVIDER_TIMEOUT_SECONDS', '1.5', 'walletTimeoutMs', 1500],
      ['SHUTDOWN_DRAIN_SECONDS', '0.5', 'shutdownDrainMs', 500],
      ['METRICS_PORT', '9465', 'metricsPort', 9465],
      ['METRICS_TOKEN', inProduction.METRICS_TOKEN, 'metricsToken', inProduction.METRICS_TOKEN],
    ]
    const set = Object.fromEntries(rows.map(([variable, text]) => [variable, text]))
    const SECRET_KEY_PREVIOUS = randomBytes(32).toString('base64')
    const commissions = { COMMISSION_PROVIDER_BPS: '0', COMMISSION_TTE_BPS: '5000' }
    const config = parseConfig({ ...enough, ...inProduction, ...set, ...commissions, SECRET_KEY_PREVIOUS })
    expect(config).to.deep.include(Object.fromEntries(rows.map(([, , name, value]) => [name, value])))
    expect(config.commissionRates).to.deep.equal({ provider: 0, payer: 100, tof: 1400, tte: 5000 })
    expect(config.secretKeys).to.have.lengthOf(2)
    expect(parseConfig({ ...enough, TRUST_PROXY: '2' }).trustProxy).to.equal(2)
  })

  it('reports all errors at once by variable but never quotes a secret', () => {
    // SHUTDOWN_TIMEOUT_SECONDS must be 5 more than the drain, and isn't.
    const texts = words(`NODE_ENV=prod PORT=eighty PUBLIC_URL=https://api.example/path PAY_URL=pay.example
      MONGODB_URL=http://127.0.0.1 SECRET_KEY=hidden-and-short SECRET_KEY_PREVIOUS=hidden-too
      TRUST_PROXY=everybody WORKER_QUEUES=webhook-delivery,nothing LOG_LEVEL=loud MAX_AMOUNT=0
      INTENT_LIFETIME_SECONDS=-1 WEBHOOK_RETRY_SECONDS=30,120 WEBHOOK_TIMEOUT_SECONDS=0
      WEBHOOK_ALLOWED_HOSTS=no-port WEBHOOK_BLOCKED_RANGES=2001:db8:64::/96,10.0.0.0/33
      WALLET_PROVIDER_URL=https://wallet.example/?key=hidden WALLET_PROVIDER_KEY=hidden-and-short
      WALLET_PROVIDER_TIMEOUT_SECONDS=61 WALLET_PROVIDER_REFUNDS=no SHUTDOWN_DRAIN_SECONDS=61 SHUTDOWN_TIMEOUT_SECONDS=65
      METRICS_PORT=65536 METRICS_TOKEN=hidden-token COMMISSION_PROVIDER_BPS=10001 COMMISSION_PAYER_BPS=-1
      COMMISSION_TOF_BPS=1.5 COMMISSION_TTE_BPS=much`).map((text) => text.split(/=(.*)/))
    const others = {
      REDIS_URL: undefined,
      WEBHOOK_HEADER_BRAND: 'A Brand',
      WALLET_PROVIDER_NAME: 'a provider',
    }
    const wrong: Record<string, string | undefined> = { ...Object.fromEntries(texts), ...others }
    const message = faultsOf(wrong)
    for (const name of Object.keys(wrong)) expect(message, name).to.match(new RegExp(`^ {2}${name} `, 'm'))
    expect(message.trim().split('\n')).to.have.lengthOf(1 + Object.keys(wrong).length)
    expect(message).not.to.include('hidden')
  })

  it('reports pairs of incompatible variables', () => {
    const message = faultsOf({
      NODE_ENV: 'production',
      PORT: 'eighty',
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:4000',
      INTENT_LIFETIME_SECONDS: '60',
      CODE_LIFETIME_SECONDS: '61',
    })
    for (const name of ['PORT', 'WEBHOOK_ALLOWED_HOSTS', 'CODE_LIFETIME_SECONDS'])
      expect(message).to.include(`  ${name} `)
    expectRefused('CODE_LIFETIME_SECONDS', ['86401'])
    expectAccepted('CODE_LIFETIME_SECONDS', ['86400'])
    expectRefused('MAX_AMOUNT', words('0 1000000000001 6000000000000000 1.5 1e13 Infinity -Infinity'))
    expectAccepted('MAX_AMOUNT', ['1', '1000000000000'])
  })

  it('rejects a METRICS_PORT that the same process already uses', () => {
    expectRefused('METRICS_PORT', ['3000'], 'must differ from PORT')
    expectRefused('METRICS_PORT', ['9464'], 'must differ from WORKER_PORT', { WORKER_PORT: '9464' })
    expect(faultsOf({ METRICS_PORT: '0', PORT: '0', WORKER_PORT: '0' })).to.equal('')
  })

  it('reads the address ranges that webhooks must avoid and reports invalid ones', () => {
    const WEBHOOK_BLOCKED_RANGES = '2001:db8:64::/96, 203.0.113.7'
    const { webhookBlockedRanges } = parseConfig({ ...enough, WEBHOOK_BLOCKED_RANGES })
    const written = webhookBlockedRanges.map(([network, bits]) => `${network.toString()}/${bits}`)
    expect(written).to.deep.equal(['2001:db8:64::/96', '203.0.113.7/32'])
    expect(parseConfig(enough).webhookBlockedRanges).to.deep.equal([])
    const fault = 'must be a comma-separated list of addresses and CIDRs: remove 10.1, host, 10.0.0.0/33'
    expectRefused('WEBHOOK_BLOCKED_RANGES', ['2001:db8:64::/96,10.1,host,10.0.0.0/33'], fault)
  })

  it('refuses a contact that is neither a mailto: nor an https: URL', () => {
    const odd =
      'security@pay.example http://pay.example mailto:a mailto:a@b tel:+22222000045 https:// https://é'
    for (const name of ['SECURITY_CONTACT', 'SUPPORT_CONTACT'])
      expectRefused(name, [...words(odd), 'https://me@pay.example/', 'https://pay.example,x'])
    const { securityContacts } = parseConfig({
      ...enough,
      SECURITY_CONTACT: 'mailto:a@b.example, https://b.example',
    })
    expect(securityContacts).to.deep.equal(['mailto:a@b.example', 'https://b.example'])
  })

  it('reads the proxy for webhooks, and never quotes its password', () => {
    const read = (WEBHOOK_PROXY_URL: string) => parseConfig({ ...enough, WEBHOOK_PROXY_URL }).webhookProxy
    expect(read('')).to.equal(null)
    expect(read('http://10.0.0.7:80/')).to.deep.equal({ hostname: '10.0.0.7', port: 80, headers: {} })
    const headers = { 'Proxy-Authorization': `Basic ${Buffer.from('me:p@ss').toString('base64')}` }
    expect(read('http://me:p%40ss@[fd00::7]:3128')).to.deep.equal({
      hostname: 'fd00::7',
      port: 3128,
      headers,
    })
    const wrong = [
      'proxy:3128',
      'https://proxy:3128',
      'http://proxy',
      'http://proxy:99999',
      'http://a:%zz@proxy:1',
    ]
    expectRefused('WEBHOOK_PROXY_URL', [...wrong, 'http://me:hidden@proxy:1/path', 'http://me:hidden@:1'])
  })

  it('rejects a TRUST_PROXY with too many hops or a malformed address', () => {
    expectRefused('TRUST_PROXY', ['100', '2130706433', '10.1', '010.0.0.1', '10.0.0.0/33', '0.0.0.0/0'])
    expectRefused('TRUST_PROXY', ['10.0.0.1,x'])
    const ranges = parseConfig({ ...enough, TRUST_PROXY: '::ffff:10.0.0.0/104,fd00::/8,10.0.0.1' }).trustProxy
    expect(ranges).to.deep.equal(['10.0.0.0/8', 'fd00::/8', '10.0.0.1/32'])
    expect(() => express().set('trust proxy', ranges)).not.to.throw()
  })

  it('rejects a PUBLIC_URL or PAY_URL with a password or invalid punycode', () => {
    for (const name of ['PUBLIC_URL', 'PAY_URL'])
      expectRefused(name, ['https://user:pw@api.example', 'https://xn--a.com'], 'must be ')
    expectAccepted('PUBLIC_URL', ['https://api.xn--mnchen-3ya.de'])
  })

  it('rejects a wallet provider without a key, or a key without a provider', () => {
    const url = { WALLET_PROVIDER_URL: 'http://10.0.0.7:8080' }
    const walletKey = { WALLET_PROVIDER_KEY: 'k'.repeat(32) }
    for (const half of [url, walletKey]) expect(faultsOf(half)).to.include('must be set together')
    expect(faultsOf({ ...url, ...walletKey })).to.equal('')
    const wrong = ['wallet.example', 'ftp://wallet.example', 'https://u:p@wallet.example', 'https://h/#a']
    expectRefused('WALLET_PROVIDER_URL', [...wrong, 'https://xn--a.com/v1'], '', walletKey)
  })

  it('identifies a wallet provider by its name, whatever its URL', () => {
    const nameOf = (changes: Record<string, string>) =>
      parseConfig({ ...enough, WALLET_PROVIDER_KEY: 'k'.repeat(32), ...changes }).walletProvider?.name
    expect(nameOf({ WALLET_PROVIDER_URL: 'http://10.0.0.7:8080/v1' })).to.equal('10.0.0.7:8080')
    for (const url of ['https://a.example', 'https://b.example'])
      expect(nameOf({ WALLET_PROVIDER_URL: url, WALLET_PROVIDER_NAME: 'acme' })).to.equal('acme')
  })

  it('rejects a MongoDB URL whose options weaken the guarantees that the service needs', () => {
    const lowering: Record<string, string[]> = {
      w: ['w=1', 'w=0', 'W=2', '%77=1'],
      journal: ['journal=false'],
      j: ['j=false'],
      fsync: ['fsync=false'],
      readconcernlevel: ['readConcernLevel=local', 'readConcernLevel=available'],
      readpreference: words('readPreference=secondary replicaSet=rs0&readpreference=nearest'),
      maxstalenessseconds: ['maxStalenessSeconds=100'],
      readpreferencetags: ['readPreferenceTags=dc:east'],
      'w, journal, readpreference': ['w=1&journal=false&readPreference=secondary'],
      'readpreference, maxstalenessseconds': ['readPreference=secondary&maxStalenessSeconds=100'],
    }
    for (const [names, options] of Object.entries(lowering))
      for (const option of options) {
        const message = faultsOf({ MONGODB_URL: `mongodb://u:hidden@h1,h2/pi?${option}` })
        const fault = new RegExp(`^ {2}MONGODB_URL must not lower .+: remove ${names}$`, 'm')
        expect(message, option).to.match(fault).and.not.include('hidden')
      }
    expectRefused('MONGODB_URL', ['mongodb://h1,h2/pi?w=majority&w=1'])
    const strong = '?readConcernLevel=majority&readPreference=primary&tls=true'
    const options = ['', '?', '?replicaSet=rs0', '?w=majority&journal=true', strong]
    const urls = options.map((option) => `mongodb://h1,h2/pi${option}`)
    expectAccepted('MONGODB_URL', urls)
  })

  it('rejects a MongoDB URL that the driver cannot parse', () => {
    expectRefused('MONGODB_URL', words('mongodb://localhost:99999/x mongodb:// mongodb://h/x?noSuchOption=1'))
    expectAccepted('MONGODB_URL', words('mongodb://u:p@a,b:27018/pi?replicaSet=r mongodb+srv://h.example/pi'))
  })

  it('rejects a MongoDB URL without a database name, so the driver cannot choose a default', () => {
    const urls = words('mongodb://u:hidden@h mongodb://u:hidden@h1,h2:27018 mongodb+srv://u:hidden@h.example')
    const ends = words('/ /? ?tls=true /?authSource=pi /. /.. /%2E /%20 //pi /#pi /admin /local?tls=true')
    for (const end of ['', '/ ', ...ends])
      for (const url of urls) {
        const message = faultsOf({ MONGODB_URL: url + end })
        expect(message, url + end).to.match(/^ {2}MONGODB_URL must contain a database name, as in /m)
        expect(message).not.to.include('hidden')
      }
    const accepted = words('mongodb://h/test mongodb://%2Ftmp%2Fm.sock/pi mongodb://h/caf%C3%A9?tls=true')
    expectAccepted('MONGODB_URL', accepted)
  })

  it('rejects a Redis URL that the driver would misread', () => {
    const wrong =
      words(`redis:// redis:///x redis://h/x redis://h:99999/0 redis://xn--a.com http://h:6379 h:6379
      redis+sentinel://h redis+sentinel://h,/name redis+sentinel://h:x/name redis+sentinel:///name
      redis+sentinel://h/name?db=x redis+sentinel://h/name?tls=true redis+sentinel://h/%
      redis+cluster://h/0 redis+cluster://h?db=1 redis+cluster://h:99999 redis+cluster://h,xn--a.com
      redis+nodes://h redis+cluster://u:%E0%A4%A@h redis+cluster://a@b@h`)
    expectRefused('REDIS_URL', wrong, 'must be redis(s)://')
    const urls = words(`redis://h redis://:p@h:6379/0 rediss://u:p@h/ redis://[::1]:6379?family=6
      redis+sentinel://a,b:1/name rediss+sentinel://u:p%40@a,[::1]:2/n?db=3&sentinelPassword=s
      redis+cluster://a:1,b rediss+cluster://:p@a:1/`)
    expectAccepted('REDIS_URL', urls)
  })

  it('reads the hosts and passwords of sentinels and clusters', () => {
    const node = (host: string, port: number) => ({ host, port })
    const url =
      'rediss+sentinel://u:p%40%3A:x@a,[::1]:2/my%20name?db=3&sentinelUsername=v&sentinelPassword=s%2F'
    expect(parseRedisUrl(url)).to.deep.equal({
      kind: 'sentinel',
      tls: true,
      nodes: [node('a', 26_379), node('::1', 2)],
      username: 'u',
      password: 'p@::x',
      name: 'my name',
      db: 3,
      sentinelUsername: 'v',
      sentinelPassword: 's/',
    })
    expect(parseRedisUrl('redis+cluster://:p@a,b:7')).to.deep.include({
      kind: 'cluster',
      nodes: [node('a', 6379), node('b', 7)],
      username: undefined,
      password: 'p',
    })
  })

  it('keeps all keys of a Redis cluster on one node', () => {
    const prefixOf = (changes: Record<string, string>) => parseConfig({ ...enough, ...changes }).queuePrefix
    const cluster = { REDIS_URL: 'redis+cluster://h' }
    expect(prefixOf({})).to.equal('pi')
    expect(prefixOf(cluster)).to.equal('{pi}')
    expect(prefixOf({ ...cluster, QUEUE_PREFIX: 'a{b}' })).to.equal('a{b}')
  })

  it('reads certificates in every form, but only for TLS connections', () => {
    const redis = { REDIS_URL: 'rediss://h' }
    const forms = [`${pem}\n`, pem.replaceAll('\n', '\\n'), Buffer.from(pem).toString('base64'), certificate]
    const trustIn = (form: string) => parseConfig({ ...enough, ...redis, REDIS_TLS_CA: form }).redisTrust
    for (const form of forms) expect(trustIn(form)).to.deep.equal({ ca: pem, verify: 'full' })
    expect(trustIn(`${pem}\n# another\n${pem}`).ca).to.equal(`${pem}\n${pem}`)
    const broken = ['none', '/none.pem', pem.replace('MII', 'XII'), pem.slice(0, 200), import.meta.filename]
    for (const ca of broken)
      expect(faultsOf({ ...redis, REDIS_TLS_CA: ca })).to.include('REDIS_TLS_CA must be PEM certificates')
    expect(faultsOf({ MONGODB_TLS_CA: pem, REDIS_TLS_CA: pem, REDIS_TLS_VERIFY: 'off' })).to.match(
      /MONGODB_TLS_CA needs tls=true[^]+REDIS_TLS_CA needs rediss[^]+REDIS_TLS_VERIFY needs rediss/,
    )
    const encrypted = { MONGODB_URL: 'mongodb+srv://h.example/pi', MONGODB_TLS_CA: pem }
    expect(parseConfig({ ...enough, ...encrypted }).mongodbCa).to.equal(pem)
  })

  it('accepts a secret key only if it is exactly 32 bytes in base64', () => {
    const otherSizes = [16, 31, 33, 64].map((bytes) => Buffer.alloc(bytes, 7).toString('base64'))
    const withOtherCharacters = `,!${key.slice(0, 20)} ${key.slice(20)}`
    const texts = ['a'.repeat(32), 'x'.repeat(64), '0123456789abcdef'.repeat(4)]
    expectRefused('SECRET_KEY', [...otherSizes, ...texts, withOtherCharacters])
  })

  describe('in production', () => {
    const refused = (changes: Record<string, string | undefined>): string[] =>
      faultsOf({ ...inProduction, ...changes })
        .split('\n  ')
        .slice(1)
    const base64 = (text: string | number[]) => Buffer.from(text as string).toString('base64')

    it('accepts a typical environment, with and without rate limits', () => {
      expect(refused({})).to.deep.equal([])
      expect(refused({ RATE_LIMIT_PER_SECOND: '0', PAY_URL: 'https://pay.example' })).to.deep.equal([])
      expect(refused({ SECRET_KEY_PREVIOUS: randomBytes(32).toString('base64') })).to.deep.equal([])
    })

    const faults: [name: string, value: string | undefined, fault: string][] = [
      ['PUBLIC_URL', undefined, 'is missing, and must be set in production'],
      ['PUBLIC_URL', 'http://10.0.0.7:8080', 'must use https in production'],
      ['PAY_URL', 'http://10.0.0.7:8080', 'must use https in production'],
      ['WALLET_PROVIDER_URL', 'http://10.0.0.7:8080', 'must use https in production'],
      ['WEBHOOK_ALLOWED_HOSTS', '127.0.0.1:4000', 'must not be set in production'],
      ['SANDBOX_RETENTION_DAYS', '0.5', 'must be 1 or more in production'],
      ['LIVE_DELIVERY_RETENTION_DAYS', '0.001', 'must be 0 (never delete), or 1 or more, in production'],
      ['HASH_MEMORY_KIB', '19455', 'must be 19456 in production'],
      ['SECRET_KEY_PREVIOUS', inProduction.SECRET_KEY, 'must differ from SECRET_KEY in production'],
      ['SECRET_KEY', '****', 'must be 32 bytes in base64 (openssl rand -base64 32)'],
    ]
    for (const [name, value, fault] of faults)
      it(`reports that ${name} ${fault}`, () =>
        expect(refused({ [name]: value })).to.deep.equal([`${name} ${fault}`]))

    it('requires METRICS_PORT, or a METRICS_TOKEN that is random', () => {
      expect(refused({ METRICS_TOKEN: undefined })).to.deep.equal([
        'METRICS_TOKEN or METRICS_PORT must be set in production, because /metrics is not public',
      ])
      expect(refused({ METRICS_TOKEN: undefined, METRICS_PORT: '9465' })).to.deep.equal([])
      for (const random of [8, 16, 32].map((bytes) => randomBytes(bytes).toString('hex')))
        expect(refused({ METRICS_TOKEN: random }), random).to.deep.equal([])
      for (const weak of ['x'.repeat(16), '0123456789abcdef', 'my-password-4711', 'abcabcabcabcabcabcabc'])
        expect(refused({ METRICS_TOKEN: weak }), weak).to.deep.equal([
          'METRICS_TOKEN must not be a weak or example token in production (openssl rand -hex 32)',
        ])
    })

    it('accepts a retention of one day, and 0 for keeping delivery attempts forever', () => {
      expect(refused({ SANDBOX_RETENTION_DAYS: '1' })).to.deep.equal([])
      for (const days of ['0', '1'])
        expect(refused({ LIVE_DELIVERY_RETENTION_DAYS: days }), days).to.deep.equal([])
    })

    it('rejects a SECRET_KEY or SECRET_KEY_PREVIOUS that is not random', () => {
      const bytes = (byteAt: (index: number) => number) =>
        base64(Array.from({ length: 32 }, (_, at) => byteAt(at)))
      const weak = {
        zeroes: bytes(() => 0),
        'one byte': key,
        'four repeated bytes': bytes((at) => [201, 7, 99, 40][at % 4] ?? 0),
        'bytes in sequence': bytes((at) => at),
        'every seventh byte': bytes((at) => (at * 7) % 256),
        'a passphrase': base64('correct horse battery staple, 12'),
        'hexadecimal text': base64(randomBytes(16).toString('hex')),
        'base64 text': base64(randomBytes(24).toString('base64')),
        'words that are base64': 'changemechangemechangemechangemechangemecha=',
        'more words': 'thisisnotaverysecretkeybutitisthirtytwobyte=',
      }
      for (const [how, value] of Object.entries(weak))
        for (const name of ['SECRET_KEY', 'SECRET_KEY_PREVIOUS']) {
          expect(refused({ [name]: value }), how).to.deep.equal([
            `${name} must not be a weak or example key in production (openssl rand -base64 32)`,
          ])
          expect(faultsOf({ [name]: value }), how).to.equal('')
        }
    })

    it('rejects a WALLET_PROVIDER_KEY that is not random', () => {
      const hex = randomBytes(16).toString('hex')
      const repeated = ['k'.repeat(32), '0123456789'.repeat(4), 'abcdefghijklmnopqrstuvwxyz012345']
      for (const weak of [...repeated, `change-me-${hex}`, `${hex}-example`])
        expect(refused({ WALLET_PROVIDER_KEY: weak }), weak).to.deep.equal([
          'WALLET_PROVIDER_KEY must not be a weak or example key in production',
        ])
    })

    it('never mistakes a random key for a weak one', () => {
      for (let made = 0; made < 300; made += 1) {
        const secret = randomBytes(32).toString('base64')
        const walletKey = randomBytes(16).toString('hex')
        expect(isWeakKey(secret) ? secret : '').to.equal('')
        expect(isWeakToken(walletKey) ? walletKey : '').to.equal('')
      }
    })
  })
})
