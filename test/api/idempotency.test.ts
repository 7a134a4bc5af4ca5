import { rotateApiKey } from '../../src/businesses/change-key.ts'
import { changeAsOperator } from '../support/actions.ts'
import {
  asMerchant,
  intents,
  tester,
  withAnotherKey,
  withServiceAndMerchantPerTest,
} from '../support/service.ts'
import { postHead, sendRaw } from './raw-request.ts'
import { expectRefused } from './refused.ts'

const day = 24 * 3_600_000

describe('An idempotency key', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const create = (key: string | undefined, body: object | string = { amount: 50_000 }, as = merchant) =>
    service.http
      .post(intents)
      .set({ 'Content-Type': 'application/json', ...as.write(key) })
      .send(typeof body === 'string' ? body : JSON.stringify(body))
  const cancel = (reference: string, key?: string, as = merchant) =>
    service.http.post(`${intents}/${reference}/cancel`).set(as.write(key))
  const count = (as = merchant) => service.deps.Intent.countDocuments({ businessId: as.businessId })
  type Received = { status: number; text: string; headers: Record<string, string> }
  function expectReplay(response: Received, of: Received, params: 'same' | 'other' = 'same'): void {
    expect([response.status, response.text]).to.deep.equal([of.status, of.text])
    expect(response.headers['content-type']).to.equal(of.headers['content-type'])
    expect(response.headers['idempotent-replayed']).to.equal('true')
    expect(response.headers['idempotent-params-mismatch']).to.equal(params === 'other' ? 'true' : undefined)
    expect(response.headers['x-request-id']).not.to.equal(of.headers['x-request-id'])
  }

  function expectFresh(response: Omit<Received, 'headers'> & { headers: object }, status: number): void {
    expect(response.status, response.text).to.equal(status)
    expect(response.headers).not.to.have.any.keys('idempotent-replayed', 'idempotent-params-mismatch')
  }

  describe('in the X-Idempotency-Key header', () => {
    async function raw(...values: (string | Buffer)[]) {
      const head = `${postHead(intents, merchant.read(), 'Connection: close', 'Content-Length: 12').trimEnd()}\r\n`
      const lines = values.flatMap((value) => ['X-Idempotency-Key: ', value, '\r\n'])
      const parts = [head, ...lines, '\r\n{"amount":5}'].map((part) => Buffer.from(part))
      const [response] = await sendRaw(service.origin, Buffer.concat(parts))
      return { status: response?.status, ...JSON.parse(response?.body ?? '') }
    }

    async function expectRawRefused(code: string, ...values: string[]): Promise<void> {
      const { status, error } = await raw(...values)
      expect([status, error.code]).to.deep.equal([400, code])
    }

    it('is required for every write, or the request gets 400 IDEMPOTENCY_KEY_REQUIRED', async () => {
      for (const values of [[], [''], ['   '], ['\t']])
        await expectRawRefused('IDEMPOTENCY_KEY_REQUIRED', ...values)
      for (const path of [intents, `${intents}/PI-NONE/cancel`, '/api/v1/dev/webhooks/endpoints'])
        await expectRefused(service.http.post(path).set(merchant.read()), 400, 'IDEMPOTENCY_KEY_REQUIRED')
      expect(await count()).to.equal(0)
    })

    it('must have at most 255 characters, in any script, or the request gets 400 IDEMPOTENCY_KEY_INVALID', async () => {
      for (const key of ['x'.repeat(255), '💰'.repeat(255), 'a, b', '"', '{}'])
        expect(await raw(key), key).to.include({ status: 201 })
      for (const key of ['x'.repeat(256), '💰'.repeat(256)])
        await expectRawRefused('IDEMPOTENCY_KEY_INVALID', key)
    })

    it('must not be repeated, or the request gets 400 IDEMPOTENCY_KEY_INVALID', async () => {
      for (const second of ['a', 'b']) await expectRawRefused('IDEMPOTENCY_KEY_INVALID', 'a', second)
    })

    it('is read as UTF-8, and different Latin-1 keys remain different', async () => {
      const [utf8, again, other] = [await raw('commande-é'), await raw('commande-é'), await raw('commande-è')]
      expect(again).to.deep.equal(utf8)
      expect(other.data.referenceNumber).not.to.equal(utf8.data.referenceNumber)
      const latin1 = [Buffer.from('number-é', 'latin1'), Buffer.from('number-è', 'latin1')]
      const references = await Promise.all(latin1.map(async (key) => (await raw(key)).data.referenceNumber))
      expect(new Set(references)).to.have.property('size', 2)
    })
  })

  describe('that is reused', () => {
    it('returns the same status and bytes, with Idempotent-Replayed and a new X-Request-Id', async () => {
      const first = await create('once')
      expectFresh(first, 201)
      expectReplay(await create('once'), first)
      expectReplay(await create('once'), first)
      expect(await count()).to.equal(1)
      const { referenceNumber } = first.body.data
      const cancelled = await cancel(referenceNumber, 'once')
      expectFresh(cancelled, 200)
      expectReplay(await cancel(referenceNumber, 'once'), cancelled)
      expectReplay(await create('once'), first)
    })

    it('returns the stored response if only the field order or whitespace of the body differs', async () => {
      const first = await create('once', '{"amount":5,"metadata":{"a":"1","b":"2"}}')
      expectReplay(await create('once', '{ "metadata":{"b":"2","a":"1"}, "amount":5.0 }'), first)
    })

    it('returns the stored response, but with Idempotent-Params-Mismatch, if the new body differs or is unreadable', async () => {
      const first = await create('once')
      const others = [{ amount: 50_001 }, { amount: 50_000, label: 'x' }, { amount: 0 }, {}, '{"amount":']
      for (const body of [...others, `"${'x'.repeat(600_000)}"`])
        expectReplay(await create('once', body), first, 'other')
      expectReplay(await create('once').set('Content-Type', 'text/plain'), first, 'other')
      expect(await count()).to.equal(1)
    })

    it('counts as a different key if the path, API key or business differs', async () => {
      const first = await create('shared')
      const second = await create('another')
      for (const { body } of [first, second])
        expectFresh(await cancel(body.data.referenceNumber, 'shared'), 200)
      const colleague = await withAnotherKey(service, merchant)
      const stranger = await service.merchant()
      expectFresh(await create('shared', undefined, colleague), 201)
      expectFresh(await create('shared', undefined, stranger), 201)
      expect(await count()).to.equal(3)
      expect(await count(stranger)).to.equal(1)
    })

    it('returns the stored response if the path is percent-encoded differently', async () => {
      const { referenceNumber } = (await create(undefined)).body.data
      const first = await cancel(referenceNumber, 'once')
      expectReplay(await cancel(referenceNumber.replace('-', '%2D'), 'once'), first)
    })

    it('is compared in full and is case-sensitive', async () => {
      const responses = await Promise.all(['a', 'A', 'a1', 'á', 'b'].map((key) => create(encodeURI(key))))
      expect(new Set(responses.map(({ text }) => text))).to.have.property('size', 5)
    })

    it('expires after 24 hours even if the first request was refused', async () => {
      service.clock.freeze(new Date())
      const missing = await cancel('PI-NONE', 'daily')
      service.clock.advance(day - 1)
      expectReplay(await cancel('PI-NONE', 'daily'), missing)
      service.clock.advance(1)
      expectFresh(await cancel('PI-NONE', 'daily'), 404)
      service.clock.freeze(null)
    })

    it('remains valid after the API key is rotated', async () => {
      const first = await create('rotated')
      const issued = await rotateApiKey(service.deps, merchant.keyId, 3600, tester)
      if (issued === null) throw new Error('not rotated')
      const renewed = asMerchant(merchant.businessId, issued)
      expectReplay(await create('rotated', undefined, renewed), first)
      const second = await create('since', undefined, renewed)
      expectReplay(await create('since'), second)
    })
  })

  describe('sent with a rejected request', () => {
    it('returns the original 4xx response to a retry, even if the request would now succeed', async () => {
      const invalid = await create('faulty', { amount: 0 })
      expectFresh(invalid, 400)
      expectReplay(await create('faulty', { amount: 0 }), invalid)
      expectReplay(await create('faulty', { amount: 1 }), invalid, 'other')
      expect(await count()).to.equal(0)
      const missing = await cancel('PI-NONE', 'lost')
      expectFresh(missing, 404)
      expectReplay(await cancel('PI-NONE', 'lost'), missing)
      const live = await withAnotherKey(service, merchant, { mode: 'live' })
      const { referenceNumber } = (await create(undefined)).body.data
      const mismatch = await cancel(referenceNumber, 'mine', live)
      expectFresh(mismatch, 403)
      expectReplay(await cancel(referenceNumber, 'mine', live), mismatch)
      await cancel(referenceNumber).expect(200)
      const late = await cancel(referenceNumber, 'late')
      expectFresh(late, 400)
      expectReplay(await cancel(referenceNumber, 'late'), late)
    })

    it('lets the request run again once the body is readable', async () => {
      const unreadable: [name: string, status: number, body: string, type?: string][] = [
        ['json', 400, '{"amount":'],
        ['type', 415, '{"amount":5}', 'text/plain'],
        ['size', 413, `"${'x'.repeat(600_000)}"`],
        ['depth', 400, `{"amount":5,"x":${'['.repeat(9)}${']'.repeat(9)}}`],
      ]
      for (const [key, status, body, type = 'application/json'] of unreadable) {
        expectFresh(await create(key, body).set('Content-Type', type), status)
        expectFresh(await create(key, body).set('Content-Type', type), status)
        const first = await create(key)
        expectFresh(first, 201)
        expectReplay(await create(key), first)
      }
      expect(await count()).to.equal(4)
    })

    it('lets the request run again if it was rejected before the operation started', async () => {
      await changeAsOperator(service, merchant.businessId, { apiEnabled: false })
      expectFresh(await create('early'), 503)
      await changeAsOperator(service, merchant.businessId, { apiEnabled: true })
      await service.deps.ApiKey.updateOne({ _id: merchant.keyId }, { $set: { scopes: [] } })
      expectFresh(await create('early'), 403)
      const scopes = ['payments.intents:write'] as const
      await service.deps.ApiKey.updateOne({ _id: merchant.keyId }, { $set: { scopes } })
      expectFresh(await create('early'), 201)
    })
  })

  describe('sent with a request that got a server error', () => {
    let restore: () => void
    afterEach(() => restore())

    function failNextInsert(fault: () => Error) {
      const { batchers } = service.deps
      const insert = batchers.insertIntent
      restore = () => void (batchers.insertIntent = insert)
      batchers.insertIntent = () => {
        restore()
        return Promise.reject(fault())
      }
    }
    const lost = () => new service.deps.mongo.base.mongo.MongoNetworkError('connection lost')

    for (const [status, code, fault] of [
      [503, 'SERVICE_UNAVAILABLE', lost],
      [500, 'INTERNAL_ERROR', () => new Error('secret cause')],
    ] as const)
      it(`lets a retry run after a ${status} that had no effect`, async () => {
        failNextInsert(fault)
        const failed = await create('retried')
        expectFresh(failed, status)
        expect(failed.body.error.code).to.equal(code)
        expect(failed.text).not.to.include('secret cause')
        expect(failed.headers['retry-after']).to.equal(status === 503 ? '2' : undefined)
        const first = await create('retried')
        expectFresh(first, 201)
        expectReplay(await create('retried'), first)
        expect(await count()).to.equal(1)
      })
  })
})
