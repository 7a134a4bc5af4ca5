import supertest from 'supertest'
import { createApp } from '../../src/app.ts'
import { newApiKey } from '../../src/businesses/api-key.ts'
import { rotateApiKey, setKeyStatus } from '../../src/businesses/change-key.ts'
import { changeAsOperator } from '../support/actions.ts'
import { intents, tester, withServiceAndMerchant } from '../support/service.ts'
import { withOpened } from '../support/with.ts'
import { operations } from './operations.ts'
import { crlf, expectFailure, sendRaw } from './raw-request.ts'
import { expectRefused } from './refused.ts'
import { openServer } from './short-timeouts.ts'

const day = 24 * 3_600_000

describe('Authentication', () => {
  const { service, merchant } = withServiceAndMerchant({ TRUST_PROXY: '1' })
  const list = (headers: Record<string, string>) => service.http.get(intents).set(headers)
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

  describe('by the Authorization header', () => {
    it('accepts the Bearer scheme in upper and lower case', async () => {
      for (const scheme of ['Bearer', 'bearer', 'BEARER'])
        await list({ Authorization: `${scheme} ${merchant.key}` }).expect(200)
    })

    it('returns 401 MISSING_CREDENTIALS on every operation if the header is missing', async () => {
      for (const [method, path] of operations)
        await expectRefused(service.http[method](path), 401, 'MISSING_CREDENTIALS')
    })

    it('returns 401 INVALID_AUTH_HEADER for a scheme other than Bearer', async () => {
      const { key } = merchant
      const forms = [`Bearer  ${key}`, `Bearer\t${key}`, key, `Basic ${btoa(`${key}:`)}`, 'Bearer']
      for (const form of [...forms, `Bearer ${key} ${key}`, `Bearer ${key},`, `Bearer ${key}, Bearer ${key}`])
        await expectRefused(list({ Authorization: form }), 401, 'INVALID_AUTH_HEADER')
    })

    it('refuses a request with two Authorization headers, even if both are valid', async () => {
      const line = `Authorization: Bearer ${merchant.key}`
      const head = crlf(`GET ${intents} HTTP/1.1`, 'Host: a', 'Connection: close', line, line, '', '')
      const [response] = await sendRaw(service.origin, head)
      expectFailure(response, 401, 'INVALID_AUTH_HEADER')
    })

    it('ignores API keys sent elsewhere in the request', async () => {
      await expectRefused(service.http.get(`${intents}?key=${merchant.key}`), 401, 'MISSING_CREDENTIALS')
      await expectRefused(list({ 'X-Api-Key': merchant.key }), 401, 'MISSING_CREDENTIALS')
    })
  })

  describe('by API key', () => {
    it('refuses a malformed key without querying the database', async () => {
      const { key } = merchant
      const last = key.at(-1) === 'a' ? 'b' : 'a'
      const prefixes = ['sk_live_', 'pk_test_'].map((prefix) => key.replace('sk_test_', prefix))
      const altered = [key.slice(0, -1) + last, key.slice(0, -1), `${key}a`, key.toUpperCase()]
      const mistyped = [...altered, ...prefixes, 'sk_test_', '{"$ne":null}']
      const { findKey } = service.deps.batchers
      service.deps.batchers.findKey = () => Promise.reject(new Error('queried'))
      for (const text of mistyped) await expectRefused(list(bearer(text)), 401, 'INVALID_API_KEY')
      await list(merchant.read()).expect(500)
      service.deps.batchers.findKey = findKey
    })

    it('returns 401 INVALID_API_KEY for a well-formed key that was never issued', () =>
      expectRefused(list(bearer(newApiKey('secret', 'test'))), 401, 'INVALID_API_KEY'))

    it('does not extend the life of the old secret if the key is rotated again', async () => {
      const first = await service.merchant()
      const second = await rotateApiKey(service.deps, first.keyId, 60, tester)
      const third = await rotateApiKey(service.deps, first.keyId, day / 1000, tester)
      service.clock.advance(61_000)
      await expectRefused(list(first.read()), 401, 'INVALID_API_KEY')
      await list(bearer(second?.key ?? '')).expect(200)
      await list(bearer(third?.key ?? '')).expect(200)
    })

    it("accepts a rotated key's old secret until the overlap ends, even after concurrent rotations", async () => {
      const old = await service.merchant()
      const rotations = Array.from({ length: 5 }, () => rotateApiKey(service.deps, old.keyId, 3600, tester))
      const issued = (await Promise.all(rotations)).map((rotated) => rotated?.key ?? '')
      expect(new Set(issued)).to.have.property('size', 5)
      service.clock.advance(3_590_000)
      for (const key of [old.key, ...issued]) await list(bearer(key)).expect(200)
      service.clock.advance(11_000)
      const later = await Promise.all([old.key, ...issued].map((key) => list(bearer(key))))
      expect(later.map(({ status }) => status)).to.have.members([200, 401, 401, 401, 401, 401])
    })
  })

  describe('by the status of the key and its business', () => {
    it('refuses both secrets of a rotated key immediately and permanently once the key is revoked', async () => {
      const { keyId, read } = await service.merchant()
      const rotated = await rotateApiKey(service.deps, keyId, 3600, tester)
      await list(read()).expect(200)
      await setKeyStatus(service.deps, keyId, 'revoked', tester)
      await expectRefused(list(read()), 403, 'API_ACCESS_NOT_ACTIVE')
      await expectRefused(list(bearer(rotated?.key ?? '')), 403, 'API_ACCESS_NOT_ACTIVE')
      expect(await setKeyStatus(service.deps, keyId, 'active', tester)).to.equal(false)
      expect(await rotateApiKey(service.deps, keyId, 3600, tester)).to.equal(null)
    })

    for (const [what, closing, opening] of [
      ['developer API is disabled for this business', { apiEnabled: false }, { apiEnabled: true }],
      ['business is suspended', { suspended: true }, { suspended: false }],
    ] as const)
      it(`returns 503 FEATURE_DISABLED with Retry-After while the ${what}`, async () => {
        const { businessId, read } = await service.merchant()
        await changeAsOperator(service, businessId, closing)
        const { headers, body } = await expectRefused(list(read()), 503, 'FEATURE_DISABLED')
        expect(body.error.message).to.include(`${what}. Contact support.`)
        expect(headers['retry-after']).to.equal('60')
        await changeAsOperator(service, businessId, opening)
        await list(read()).expect(200)
      })
  })

  describe('by IP allowlist', () => {
    const ranges: [allowlist: string[], accepted: string[], refused: string[]][] = [
      [['192.0.2.7'], ['192.0.2.7', '::ffff:192.0.2.7'], ['192.0.2.8', '::ffff:192.0.2.8']],
      [['192.0.2.0/24'], ['192.0.2.255'], ['192.0.3.1', '2001:db8::1']],
      [['198.51.100.1', '192.0.2.0/30'], ['192.0.2.3'], []],
      [['::ffff:192.0.2.7'], ['192.0.2.7'], []],
      [['::ffff:192.0.2.0/120'], ['192.0.2.9'], []],
      [['2001:db8::/32'], ['2001:db8:1::1'], ['2001:db9::1']],
      [['2001:db8::1'], ['2001:DB8:0:0:0:0:0:1'], []],
      [['0.0.0.0/0'], ['203.0.113.9'], ['2001:db8::1', 'unknown']],
      [['::/0'], [], ['192.0.2.7']],
    ]
    for (const [allowlist, accepted, refused] of ranges)
      it(`accepts requests only from addresses in this allowlist: ${allowlist.join()}`, async () => {
        const { read } = await service.merchant({ ipAllowlist: allowlist })
        const from = (address: string) => list({ ...read(), 'X-Forwarded-For': address })
        for (const address of accepted) expect((await from(address)).status, address).to.equal(200)
        for (const address of refused) await expectRefused(from(address), 403, 'IP_NOT_ALLOWED')
      })

    function trusting(trustProxy: string[]) {
      const server = withOpened(
        () => {
          const app = createApp({ ...service.deps, config: { ...service.deps.config, trustProxy } })
          return openServer(service, undefined, app)
        },
        ({ close }) => close(),
      )
      return ({ Authorization = '' }: Record<string, string>, from: string) =>
        supertest(server.origin).get(intents).set({ Authorization, 'X-Forwarded-For': from })
    }
    const listWithoutProxy = trusting([])
    const listByProxies = trusting(['127.0.0.0/8', '10.0.0.0/8', '2001:db8:ffff::/48'])

    it('trusts as many proxies as TRUST_PROXY says, or none if it is not set', async () => {
      const { read } = await service.merchant({ ipAllowlist: ['192.0.2.7'] })
      const forged = { ...read(), 'X-Forwarded-For': '192.0.2.7, 203.0.113.9' }
      await expectRefused(list(forged), 403, 'IP_NOT_ALLOWED')
      const local = await service.merchant({ ipAllowlist: ['127.0.0.1'] })
      await listWithoutProxy(local.read(), '192.0.2.7').expect(200)
      await expectRefused(listWithoutProxy(read(), '192.0.2.7'), 403, 'IP_NOT_ALLOWED')
    })
    const written: [address: string, ...forms: string[]][] = [
      ['203.0.113.7', '203.0.113.7:54321', '::ffff:203.0.113.7', '::FFFF:203.0.113.7', '"203.0.113.7:80"'],
      ['203.0.113.7', '[::ffff:203.0.113.7]:443', '::ffff:203.0.113.7:54321', '[203.0.113.7]'],
      ['203.0.113.7', ' \t203.0.113.7 ', '203.0.113.7:_port', '203.0.113.7:'],
      ['2001:db8::1', '[2001:db8::1]:443', '[2001:db8::1]', '"[2001:db8::1]:443"', '2001:db8::1%eth0'],
      ['2001:db8::1', '"[2001:DB8:0:0:0:0:0:1]"', '2001:db8:0:0:0:0:0:1:443', '[2001:db8::1%25eth0]:443'],
    ]
    for (const [address, ...forms] of written)
      it(`recognises ${address} in every notation that a trusted proxy may use: ${forms.join(' ')}`, async () => {
        const { read } = await service.merchant({ ipAllowlist: [address] })
        for (const form of forms) {
          const far = await list({ ...read(), 'X-Forwarded-For': `192.0.2.1, ${form}` })
          expect(far.status, form).to.equal(200)
          for (const nearer of ['10.1.1.1', '10.1.1.1:80', '::ffff:10.1.1.1', '[2001:db8:ffff::1]:443']) {
            const { status } = await listByProxies(read(), `192.0.2.1,${form},${nearer}`)
            expect(status, `${form},${nearer}`).to.equal(200)
          }
        }
      })

    it('never trusts an address that the client itself has written', async () => {
      const { read } = await service.merchant({ ipAllowlist: ['192.0.2.7', '127.0.0.0/8', '10.0.0.0/8'] })
      const ends = ['unknown', 'unix:', '_hidden', '', ' ', '-', '203.0.113.9:80', '[2001:db8::1]:443']
      ends.push('192.0.2.7x', '"', ':80')
      for (const from of ends.flatMap((end) => [`192.0.2.7, ${end}`, `192.0.2.7:80,"192.0.2.7, ${end}`])) {
        await expectRefused(list({ ...read(), 'X-Forwarded-For': from }), 403, 'IP_NOT_ALLOWED')
        await expectRefused(listByProxies(read(), `${from}, 10.0.0.1:80`), 403, 'IP_NOT_ALLOWED')
      }
    })

    it('trusts a proxy whose address is listed in TRUST_PROXY', async () => {
      const { read } = await service.merchant({ ipAllowlist: ['192.0.2.7'] })
      await listByProxies(read(), '203.0.113.9, 192.0.2.7, 10.1.1.1').expect(200)
      await expectRefused(listByProxies(read(), '192.0.2.7, 203.0.113.9'), 403, 'IP_NOT_ALLOWED')
    })
  })
})
