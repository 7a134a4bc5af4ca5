import type { Intent } from '../../src/intents/intent.ts'
import { createCapacity, maxPageBytes, readWaitMs } from '../../src/limits/capacity.ts'
import { processClock } from '../../src/platform/process-clock.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { createIntent } from '../support/actions.ts'
import { withImpossibleDocuments } from '../support/contract-faults.ts'
import { copyIntents, intentTemplate } from '../support/copy-intents.ts'
import { intents, withServiceAndMerchant } from '../support/service.ts'
import { expectRefused } from './refused.ts'

describe('A business whose intents have 1 000 refunds each', () => {
  withImpossibleDocuments()
  const { service, merchant } = withServiceAndMerchant()
  before(async () => {
    const template = await intentTemplate(service, merchant)
    const createdAt = new Date(template.createdAt.getTime() + 1)
    const refunds = refundsOf(1_000)
    await copyIntents(service, template, 2, () => ({ refunds, createdAt }))
    // Older ones are just as large, but decode faster.
    const longer = refundsOf(1, 500_000)
    await copyIntents(service, template, 27, () => ({ refunds: longer }))
  })

  after(() => service.deps.Intent.deleteMany({ status: 'PENDING', refunds: { $ne: [] } }))

  function refundsOf(count: number, reasonLength = 400): Intent['refunds'] {
    const at = service.clock.now()
    return Array.from({ length: count }, (_, n) => ({
      id: `RF-${n}`,
      amount: 1,
      returnedFees: { providerTtc: 0, payerTtc: 0 },
      reason: '\u00e9'.repeat(reasonLength),
      status: 'SUCCEEDED',
      createdAt: at,
      validUntil: at,
    }))
  }

  async function paidIntent(count: number): Promise<string> {
    const { referenceNumber } = await createIntent(service, merchant)
    const path = `${intents}/${referenceNumber}`
    await service.http.post(`${path}/simulate-payment`).set(merchant.write()).send({}).expect(200)
    excuse([referenceNumber], 'events once')
    const change = { refunds: refundsOf(count), refundsCommitted: count, status: 'REFUNDED' }
    await service.deps.Intent.updateOne({ referenceNumber }, { $set: change })
    return path
  }
  const refund = (path: string, headers = merchant.write()) =>
    service.http.post(`${path}/refund`).set(headers).send({ amount: 1 })

  const get = (path: string) => service.http.get(`${intents}${path}`).set(merchant.read())

  it('can read its intents page by page', async () => {
    for (const page of [1, 2]) {
      const { status, body } = await get(`?limit=1&page=${page}`)
      expect([status, body.data?.items.length], JSON.stringify(body.error)).to.deep.equal([200, 1])
    }
  })

  it('gets 429 with the advice to request fewer items if a page would be too large', async () => {
    const details = { scope: 'responses', limit: maxPageBytes }
    const { body, headers } = await expectRefused(get('?limit=40'), 429, 'RATE_LIMITED', { details })
    expect(headers['retry-after']).to.equal('1')
    expect(body.error.message).to.equal('This page is too large. Request fewer items with `limit`.')
  })

  it('gets 200 for refunds sent one after another', async () => {
    const path = await paidIntent(900)
    const headers = merchant.write()
    const first = await refund(path, headers)
    expect([first.status, first.body.data?.refunds.length]).to.deep.equal([200, 901])
    expect((await refund(path)).status).to.equal(200)
    const again = await refund(path, headers)
    expect([again.status, again.headers['idempotent-replayed']]).to.deep.equal([200, 'true'])
    expect(again.text).to.equal(first.text)
  })

  it('gets 429 for concurrent refunds that would have to wait, none of which are executed', async () => {
    const [path, other] = [await paidIntent(400), await service.merchant()]
    const { referenceNumber } = await createIntent(service, other)
    const { capacity } = service.deps
    // With this clock, a business waits forever after a large response.
    const after: typeof processClock.after = (ms, act) =>
      ms === readWaitMs ? processClock.after(ms, act) : () => undefined
    service.deps.capacity = createCapacity({ ...processClock, after })
    const refunds = Promise.all(Array.from({ length: 3 }, () => refund(path)))
    await service.http.get(`${intents}/${referenceNumber}`).set(other.read()).expect(200)
    const refused = (await refunds).filter(({ status }) => status !== 200)
    service.deps.capacity = capacity
    expect(refused).to.have.length(2)
    for (const { status, body } of refused)
      expect([status, body.error?.details?.scope]).to.deep.equal([429, 'responses'])
    expect((await get(path.slice(intents.length))).body.data.refunds).to.have.length(401)
  })
})
