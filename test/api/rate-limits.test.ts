import { Redis } from 'ioredis'
import { startRedis } from '../../dev/servers.ts'
import { rotateApiKey } from '../../src/businesses/change-key.ts'
import { changeAsOperator, requestIntent } from '../support/actions.ts'
import { deadlineMs } from '../support/machine.ts'
import type { Merchant, Service } from '../support/service.ts'
import {
  asMerchant,
  intents,
  sharedEnvironment,
  tester,
  withAnotherKey,
  withService,
} from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { waitFor } from '../support/wait-for.ts'
import { withServer } from '../support/with.ts'
import { expectRefused } from './refused.ts'

const limit = 5

describe('A rate limit of five requests per second', () => {
  const redis = withServer(startRedis)
  const environment = () => ({ RATE_LIMIT_PER_SECOND: String(limit), TRUST_PROXY: '1', REDIS_URL: redis.url })
  const service = withService(environment)
  const beside = withService(() => ({ ...sharedEnvironment(service), ...environment() }))
  before(() => Object.assign(service.deps.rateLimits ?? {}, { refusalDelayMs: 10 }))
  after(() => redis.kill('SIGCONT'))
  const newSecond = () => {
    const at = new Date(Math.ceil(service.clock.now().getTime() / 1000) * 1000 + 1000)
    for (const each of [service, beside]) each.clock.freeze(at)
  }
  beforeEach(newSecond)
  const list = (merchant: Merchant, at = service, address = '192.0.2.1', path = '') =>
    at.http.get(`${intents}${path}`).set(merchant.read()).set('X-Forwarded-For', address)
  const statuses = async (count: number, send: () => PromiseLike<{ status: number }>) => {
    const seen: number[] = []
    while (seen.length < count) seen.push((await send()).status)
    return seen
  }
  const remaining = ({ deps }: Service, { keyId }: Merchant) =>
    deps.rateLimits?.look(`key:${keyId}`).remaining
  const refusals = async (scope: string) =>
    (await service.deps.metrics.rateLimited.get()).values.find(({ labels }) => labels.scope === scope)
      ?.value ?? 0

  const expectFiveEach = async (merchant: Merchant) => {
    for (const each of [service, beside])
      expect(await statuses(6, () => list(merchant, each))).to.deep.equal([200, 200, 200, 200, 200, 429])
  }

  describe('for one key', () => {
    it('allows five requests, each reporting how many are left, and refuses the sixth', async () => {
      const merchant = await service.merchant()
      const before = await refusals('key')
      const responses = []
      while (responses.length < 6) responses.push(await list(merchant))
      expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 429])
      expect(responses.map(({ headers }) => headers.ratelimit)).to.deep.equal(
        [4, 3, 2, 1, 0, 0].map((left) => `"key";r=${left};t=1`),
      )
      for (const { headers } of responses) expect(headers['ratelimit-policy']).to.equal('"key";q=5;w=1')
      const [first, last] = [responses[0], responses.at(-1)]
      expect(first?.headers).not.to.have.property('retry-after')
      expect(last?.headers['retry-after']).to.equal('1')
      const details = { scope: 'key', limit, windowSeconds: 1 }
      expect(last?.body.error).to.deep.include({ code: 'RATE_LIMITED', statusCode: 429, details })
      expect((await refusals('key')) - before).to.equal(1)
      service.clock.advance(1000)
      expect((await list(merchant)).status).to.equal(200)
    })

    it('allows exactly five of twenty concurrent requests', async () => {
      const merchant = await service.merchant()
      const requests = Array.from({ length: 20 }, (_, n) => list(merchant, service, `192.0.2.${n}`))
      expect((await Promise.all(requests)).filter(({ status }) => status === 200)).to.have.lengthOf(limit)
    })

    it('delays its error responses during a flood of requests', async () => {
      const merchant = await service.merchant()
      const durations = await Promise.all(
        Array.from({ length: 4 * limit }, async () => {
          const begun = performance.now()
          await list(merchant)
          return performance.now() - begun
        }),
      )
      // Five are allowed and five refused at once, then five are refused per second.
      durations.sort((a, b) => a - b)
      expect(durations[2 * limit]).to.be.at.least(1_000)
      expect(durations[3 * limit]).to.be.at.least(2_000)
    })

    it('counts an order as one request per product that it contains', async () => {
      const merchant = await service.merchant()
      const products = [await createProduct(service, merchant), await createProduct(service, merchant)]
      newSecond()
      service.clock.advance(1000)
      const items = products.map(({ _id: productId }) => ({ productId, quantity: 1 }))
      const order = () =>
        service.http.post('/api/v1/dev/store/orders/simulate').set(merchant.write()).send({ items })
      expect(await statuses(2, order)).to.deep.equal([201, 201])
      expect(remaining(service, merchant)).to.equal(1)
      expect(await statuses(2, order)).to.deep.equal([201, 429])
      service.clock.advance(1000)
      const responses = await Promise.all(Array.from({ length: limit }, order))
      expect(responses.filter(({ status }) => status === 201).length).to.be.within(1, 3)
      expect(responses.filter(({ status }) => status === 429).length).to.be.at.least(2)
    })

    it('counts a large JSON body as one request per full 16 KiB', async () => {
      const merchant = await service.merchant()
      const body = { amount: 500, note: 'x'.repeat(40_000) }
      const create = () => service.http.post(intents).set(merchant.write()).send(body)
      expect(await statuses(4, create)).to.deep.equal([201, 201, 201, 429])
      service.clock.advance(1000)
      const small = () => service.http.post(intents).set(merchant.write()).send({ amount: 500 })
      expect(await statuses(6, small)).to.deep.equal([201, 201, 201, 201, 201, 429])
    })

    it('applies to each key rather than the business, and to both secrets of a rotated key together', async () => {
      const merchant = await service.merchant()
      const { businessId, keyId } = merchant
      const other = asMerchant(businessId, await service.key(businessId))
      const rotated = (await rotateApiKey(service.deps, keyId, 60, tester)) ?? expect.fail('no key')
      expect(await statuses(5, () => list(merchant))).not.to.include(429)
      await expectRefused(list(asMerchant(businessId, rotated)), 429, 'RATE_LIMITED')
      expect((await list(other)).status).to.equal(200)
    })

    it("applies an operator's new limit from the next request", async () => {
      const merchant = await service.merchant()
      const sibling = await withAnotherKey(service, merchant)
      const neighbour = await service.merchant()
      await changeAsOperator(service, merchant.businessId, { limits: { perSecond: 7 } })
      for (const each of [merchant, sibling]) {
        expect(await statuses(7, () => list(each))).not.to.include(429)
        const details = { scope: 'key', limit: 7, windowSeconds: 1 }
        const { headers } = await expectRefused(list(each), 429, 'RATE_LIMITED', { details })
        expect(headers['ratelimit-policy']).to.equal('"key";q=7;w=1')
      }
      expect((await statuses(6, () => list(neighbour))).at(-1)).to.equal(429)
      newSecond()
      await changeAsOperator(service, merchant.businessId, { limits: { perSecond: null } })
      expect((await statuses(6, () => list(merchant))).at(-1)).to.equal(429)
    })

    it('is checked after the IP allowlist and before the key type', async () => {
      const publishable = await service.merchant({ kind: 'publishable' })
      let addresses = 0
      const write = () =>
        service.http.post(intents).set(publishable.write()).set('X-Forwarded-For', `192.0.2.${++addresses}`)
      for (let sent = 0; sent < limit; sent += 1) await expectRefused(write(), 403, 'SECRET_KEY_REQUIRED')
      await expectRefused(write(), 429, 'RATE_LIMITED')
      await expectRefused(service.http.post('/api/v1/dev/nothing'), 404, 'ENDPOINT_NOT_FOUND')
      const elsewhere = await service.merchant({ ipAllowlist: ['198.51.100.7'] })
      for (let sent = 0; sent <= limit; sent += 1) await expectRefused(list(elsewhere), 403, 'IP_NOT_ALLOWED')
      expect(remaining(service, elsewhere)).to.equal(limit)
    })

    it("gives each network a tenth of a publishable key's limit, so a stranger can't use it up", async () => {
      const publishable = await service.merchant({ kind: 'publishable' })
      await changeAsOperator(service, publishable.businessId, { limits: { perSecond: 41 } })
      const read = (address: string) => list(publishable, service, address, '/PI-0000000000000000')
      const ofNetwork = { details: { scope: 'address', limit: 5, windowSeconds: 1 } }
      for (const [first, same] of Object.entries({
        '192.0.2.1': '::ffff:192.0.2.1',
        '2001:db8::1': '[2001:db8::2]:443',
      })) {
        const responses = []
        while (responses.length < 5) responses.push(await read(first))
        expect(responses.map(({ status, headers }) => [status, headers.ratelimit])).to.deep.equal(
          [4, 3, 2, 1, 0].map((left) => [404, `"address";r=${left};t=1`]),
        )
        for (const address of [first, same])
          await expectRefused(read(address), 429, 'RATE_LIMITED', ofNetwork)
      }
      expect(service.deps.rateLimits?.look(`key:${publishable.keyId}`, 41).remaining).to.equal(31)
      expect(await statuses(31, () => read('unknown'))).to.deep.equal(Array(31).fill(404))
      const ofKey = { details: { scope: 'key', limit: 41, windowSeconds: 1 } }
      for (const address of ['unknown', '192.0.2.9', '192.0.2.1'])
        await expectRefused(read(address), 429, 'RATE_LIMITED', ofKey)
      service.clock.advance(1000)
      expect((await read('192.0.2.1')).status).to.equal(404)
    })
  })

  describe('for one address', () => {
    const unknown = (address: string) => service.http.get(intents).set('X-Forwarded-For', address)
    const mistyped = (address: string) => unknown(address).set('Authorization', 'Bearer sk_test_mistyped')

    it('counts only requests without a valid key but, once it is reached, refuses every request', async () => {
      const merchant = await service.merchant()
      const publishable = await service.merchant({ kind: 'publishable' })
      await changeAsOperator(service, publishable.businessId, { limits: { perSecond: 40 } })
      const before = await refusals('address')
      expect(await statuses(4, () => list(merchant))).to.deep.equal([200, 200, 200, 200])
      expect(await statuses(4, () => list(publishable))).to.deep.equal([403, 403, 403, 403])
      await expectRefused(unknown('192.0.2.1'), 401, 'MISSING_CREDENTIALS')
      await expectRefused(unknown('192.0.2.1').set('Authorization', 'Basic eA=='), 401, 'INVALID_AUTH_HEADER')
      for (let sent = 2; sent < limit; sent += 1)
        await expectRefused(mistyped('192.0.2.1'), 401, 'INVALID_API_KEY')
      const { headers, body } = await expectRefused(list(merchant), 429, 'RATE_LIMITED')
      expect(body.error.details.scope).to.equal('address')
      expect(headers).to.include({ 'ratelimit-policy': '"address";q=5;w=1', 'retry-after': '1' })
      expect(headers.ratelimit).to.equal('"address";r=0;t=1')
      await expectRefused(unknown('192.0.2.1'), 429, 'RATE_LIMITED')
      expect((await refusals('address')) - before).to.equal(2)
      expect(remaining(service, merchant)).to.equal(1)
      expect((await list(merchant, service, '192.0.2.2')).status).to.equal(200)
      service.clock.advance(1000)
      expect((await list(merchant)).status).to.equal(200)
    })

    it('does not refuse any of several concurrent requests with valid keys', async () => {
      const merchants = await Promise.all(Array.from({ length: 4 }, () => service.merchant()))
      const read = (merchant: Merchant) => list(merchant, service, '192.0.2.1', '/PI-0000000000000000')
      const reads = merchants.flatMap((merchant) => [1, 2, 3, 4].map(() => read(merchant)))
      expect((await Promise.all(reads)).map(({ status }) => status)).to.deep.equal(Array(16).fill(404))
    })

    it('treats IPv6 addresses with the same first 64 bits as one address', async () => {
      for (let sent = 0; sent < limit; sent += 1)
        await expectRefused(mistyped(`2001:db8::${sent}`), 401, 'INVALID_API_KEY')
      await expectRefused(mistyped('2001:db8::ffff'), 429, 'RATE_LIMITED')
      await expectRefused(mistyped('2001:db8:0:1::1'), 401, 'INVALID_API_KEY')
    })
  })

  describe('shared by two processes', () => {
    const sumOf = (who: string) => {
      const { config, secrets } = service.deps
      const second = Math.floor(service.clock.now().getTime() / 1000)
      return `${config.queuePrefix}:rate:${secrets.hash(`${second}:${who}`)}`
    }

    async function isCounted({ keyId }: Merchant, count: number) {
      const client = new Redis(redis.url)
      const name = sumOf(`key:${keyId}`)
      const [found, ms] = [await client.get(name), await client.pttl(name)]
      client.disconnect()
      // -2: already expired. -1: never expires.
      expect(ms, name).to.satisfy(() => ms === -2 || (ms >= 0 && ms <= 3000))
      return found === String(count)
    }

    /** Repeats if the counts have expired meanwhile, as they may on a busy machine. */
    async function expectShared(merchant: Merchant, send: () => Promise<unknown>, count: number) {
      const soon = (look: () => boolean | Promise<boolean>) => waitFor('soon', look, 500).catch(() => false)
      await waitFor('both processes know the sum', async () => {
        newSecond()
        await send()
        if (!(await soon(() => isCounted(merchant, count)))) return false
        expect((await list(merchant, beside)).status).to.equal(200)
        return soon(() => remaining(beside, merchant) === limit - count - 1)
      })
    }

    it('allows only five requests in total once they have exchanged their counts', async () => {
      const merchant = await service.merchant()
      await expectShared(merchant, () => statuses(4, () => list(merchant)), 4)
      await expectRefused(list(merchant, beside), 429, 'RATE_LIMITED')
    })
    const impossible = ['-9223372036854775000', '9223372036854775807', '9007199254740993', 'NaN', '1e9', '']
    it("ignores impossible counts in Redis at once, and a stranger's counts after one second", async () => {
      const [merchant, client] = [await service.merchant(), new Redis(redis.url)]
      const { config, rateLimits } = service.deps
      const who = `key:${merchant.keyId}`
      const sendAfter = async (poison: (name: string) => Promise<unknown>) => {
        newSecond()
        await poison(sumOf(who))
        expect((await list(merchant)).status).to.equal(200)
        await rateLimits?.exchange()
        return (await list(merchant)).status
      }
      const years = 10 * 365 * 86_400
      for (const value of impossible)
        expect(await sendAfter((name) => client.set(name, value, 'EX', years)), value).to.equal(200)
      expect(await sendAfter((name) => client.rpush(name, '1000')), 'a list').to.equal(200)
      expect(await sendAfter((name) => client.set(name, '1000000')), 'a million').to.equal(429)
      const inAdvance = async () => {
        const now = Math.floor(service.clock.now().getTime() / 1000)
        for (const second of [now, now + 1, now + 2])
          for (const name of [`${second}:${who}`, who])
            await client.set(`${config.queuePrefix}:rate:${name}`, '1000000')
      }
      for (let second = 0; second < 3; second += 1) expect(await sendAfter(inAdvance)).to.equal(200)
      client.disconnect()
    })

    it('counts the requests of one network with a publishable key together', async () => {
      const publishable = await service.merchant({ kind: 'publishable' })
      await changeAsOperator(service, publishable.businessId, { limits: { perSecond: 21 } })
      const read = (at: Service) => list(publishable, at, '192.0.2.1', '/PI-0000000000000000')
      await waitFor('both processes know the sum', async () => {
        newSecond()
        expect(await statuses(2, () => read(service))).to.deep.equal([404, 404])
        await service.deps.rateLimits?.exchange()
        expect((await read(beside)).status).to.equal(404)
        await beside.deps.rateLimits?.exchange()
        return (await read(beside)).status === 429
      })
    })

    it('allows each process five requests while Redis is full', async () => {
      const merchant = await service.merchant()
      const client = new Redis(redis.url)
      await client.config('SET', 'maxmemory', '1')
      await expectFiveEach(merchant)
      for (const { deps } of [service, beside]) await deps.rateLimits?.exchange()
      expect(remaining(service, merchant)).to.equal(0)
      await client.config('SET', 'maxmemory', '0')
      client.disconnect()
    })

    it('allows each process five requests while Redis is frozen, without delaying any', async () => {
      const merchant = await service.merchant()
      await redis.kill('SIGSTOP')
      const startedAt = performance.now()
      await expectFiveEach(merchant)
      // A command to a frozen Redis times out after 3 s.
      expect(performance.now() - startedAt).to.be.below(deadlineMs(3000))
    })

    it('allows each process five requests while Redis is down, and five in total once it is back', async () => {
      const merchant = await service.merchant()
      await redis.kill('SIGKILL')
      await expectFiveEach(merchant)
      await redis.restart()
      for (const each of [service, beside])
        await waitFor('Redis is up', async () => (await each.http.get('/readyz')).body.redis === 'up')
      await expectShared(merchant, () => requestIntent(service, merchant), 1)
    })
  })
})
