import { randomBytes } from 'node:crypto'
import { freeReusableCode } from '../../src/intents/codes.ts'
import { expireIntent } from '../../src/intents/expire.ts'
import { pay, storedIntent } from '../support/pay.ts'
import type { Service } from '../support/service.ts'
import { secretKey, withSecondProcess, withServiceAndMerchantPerTest } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { expectRefused } from './refused.ts'

const hour = 3_600_000
const newKey = randomBytes(32).toString('base64')
const lifetimes = { INTENT_LIFETIME_SECONDS: '7200', CODE_LIFETIME_SECONDS: '3600' }
/** Another process may have a different SECRET_KEY and other settings. */
const changedEnvironment = {
  SECRET_KEY: newKey,
  SECRET_KEY_PREVIOUS: secretKey,
  PAY_URL: 'https://pay.example.mr',
  INTENT_LIFETIME_SECONDS: '60',
  CODE_LIFETIME_SECONDS: '30',
}

describe('The first response to a create request', () => {
  const { service, merchant } = withServiceAndMerchantPerTest({
    SECRET_KEY: secretKey,
    SECRET_KEY_PREVIOUS: newKey,
    ...lifetimes,
  })
  const changed = withSecondProcess(service, changedEnvironment)
  afterEach(() => {
    for (const { clock } of [service, changed]) clock.freeze(null)
  })

  const send = ({ http }: Service, path: string, body: object, key?: string) =>
    http.post(`/api/v1/dev${path}`).set(merchant.write(key)).send(body)

  async function expectSame(path: string, body: object, first: { text: string }): Promise<void> {
    for (const process of [service, changed]) {
      const again = await send(process, path, body, 'first')
      expect([again.status, again.text]).to.deep.equal([201, first.text])
      expect(again.headers).to.include({ 'idempotent-replayed': 'true' })
    }
  }
  const input = {
    amount: 50_000,
    label: 'Thé « vert » 💰 \u2028',
    metadata: JSON.parse('{"b":"2","a.b":"","10":"x","2":"y","__proto__":"z","$x":"\\u0007"}'),
    success_url: 'https://shop.example/done',
  }
  const open = { amountType: 'OPEN', amount: 700 }
  type Reference = { referenceNumber: string }
  const act = ({ referenceNumber }: Reference, name: string, body: object) =>
    send(service, `/intents/${referenceNumber}/${name}`, body)
  const simulate = (intent: Reference, body: object) => act(intent, 'simulate-payment', body)
  const pass = (ms: number) => {
    const at = new Date(service.clock.now().getTime() + ms)
    for (const { clock } of [service, changed]) clock.freeze(at)
  }
  type Happen = (intent: Reference) => PromiseLike<unknown> | void
  const happenings: [what: string, happen: Happen, body?: object][] = [
    ['nothing has changed since', () => undefined],
    ['the intent was paid', (intent) => simulate(intent, {}).expect(200)],
    ['a customer paid an OPEN intent', ({ referenceNumber }) => pay(service, referenceNumber), open],
    ['the payment failed for good', (intent) => simulate(intent, { outcome: 'technical_error' }).expect(402)],
    ['the intent was paid and refunded', payAndRefund],
    ['the intent was cancelled', (intent) => act(intent, 'cancel', {}).expect(200)],
    ['the intent expired, and its code was released', expire],
    ['nearly 24 hours passed', () => pass(24 * hour - 1000)],
  ]
  for (const [what, happen, body = input] of happenings)
    it(`stays the same after time has passed or the intent has changed: ${what}`, async () => {
      const first = await send(service, '/intents', body, 'first').expect(201)
      await happen(first.body.data)
      await expectSame('/intents', body, first)
    })

  async function payAndRefund(intent: Reference): Promise<void> {
    await simulate(intent, {}).expect(200)
    await act(intent, 'refund', { amount: 20_000 }).expect(200)
    await act(intent, 'refund', {}).expect(200)
  }

  async function expire({ referenceNumber }: Reference): Promise<void> {
    pass(3 * hour)
    await expireIntent(service.deps, referenceNumber)
    const { codeKey = expect.fail() } = await storedIntent(service, referenceNumber)
    expect(await freeReusableCode(service.deps, codeKey)).to.equal(true)
  }

  it('stays the same for an order even after its product is changed and deleted', async () => {
    const given = { name: 'Malafa', sku: 'M-1', price: 700, stock: 9 }
    const product = await createProduct(service, merchant, given)
    const path = '/store/orders/simulate'
    const customer = { name: 'Aïssata', phone: '22000001' }
    const body = { items: [{ productId: product._id, quantity: 2 }], customer }
    const first = await send(service, path, body, 'first').expect(201)
    await expectSame(path, body, first)
    const at = `/api/v1/dev/store/products/${product._id}`
    await service.http.put(at).set(merchant.write()).send({ name: 'Voile', price: 900 }).expect(200)
    await service.http.delete(at).set(merchant.write()).expect(200)
    await expectSame(path, body, first)
  })

  it('becomes 503 SERVICE_UNAVAILABLE if the process runs a version too old to know its format', async () => {
    const first = await send(service, '/intents', input, 'first').expect(201)
    const { referenceNumber } = first.body.data
    const setFormat = (responseFormat: number) =>
      service.deps.Intent.updateOne({ referenceNumber }, { $set: { responseFormat } })
    await setFormat(1000)
    const early = send(service, '/intents', input, 'first')
    expect((await expectRefused(early, 503, 'SERVICE_UNAVAILABLE')).headers).to.have.property('retry-after')
    await setFormat(1)
    await expectSame('/intents', input, first)
    expect(await service.deps.Intent.countDocuments({ businessId: merchant.businessId })).to.equal(1)
  })
})
