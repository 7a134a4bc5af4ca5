import { expect } from 'chai'
import { codeKeyOf, freeIfReusable } from '../../src/intents/code.ts'
import { expireIntent } from '../../src/intents/expire.ts'
import { expireDue } from '../../src/intents/expire-due.ts'
import {
  cancelIntent,
  createIntent,
  deliveriesOf,
  openBeside,
  readIntent,
  relay,
  storedBodies,
  subscribe,
  waitingEvents,
} from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const dayMs = 86_400_000

describe('expiry', () => {
  let house: House
  let beside: House
  let merchant: Merchant
  before(async () => {
    house = await openHouse()
    beside = await openBeside(house)
  })
  beforeEach(async () => {
    merchant = await house.merchant()
  })
  afterEach(() => house.clock.freeze(null))
  after(() => beside.close().then(() => house.close()))

  const reach = (instant: string, ms = 0) => house.clock.freeze(new Date(Date.parse(instant) + ms))
  const listed = async (status: string) => {
    const { body } = await house.http.get('/api/v1/dev/intents').query({ status }).set(merchant.read())
    expect(body.data.items).to.have.length(body.data.total)
    return body.data.items.map((intent: { referenceNumber: string }) => intent.referenceNumber)
  }
  const storedIntent = (referenceNumber: string) => house.deps.Intent.findOne({ referenceNumber }).lean()

  it('is exact to the millisecond for every read, even with every worker down', async () => {
    const { referenceNumber, createdAt, expiresAt, code } = await createIntent(house, merchant)
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).to.equal(dayMs)

    reach(expiresAt, -1)
    expect(await readIntent(house, merchant, referenceNumber)).to.include({ status: 'PENDING', code })
    expect([await listed('PENDING'), await listed('CANCELLED')]).to.deep.equal([[referenceNumber], []])

    reach(expiresAt)
    const read = await readIntent(house, merchant, referenceNumber)
    expect(read).to.include({
      status: 'CANCELLED',
      cancellationReason: 'expired',
      code: null,
      codeExpiresAt: null,
      updatedAt: expiresAt,
    })
    expect([await listed('PENDING'), await listed('CANCELLED')]).to.deep.equal([[], [referenceNumber]])
    const refused = await cancelIntent(house, merchant, referenceNumber)
    expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'INTENT_CANCEL_INVALID_STATUS'])
    expect((await storedIntent(referenceNumber))?.status).to.equal('PENDING')

    reach(expiresAt, 3_600_000)
    await expireIntent(house.deps, referenceNumber)
    expect(await readIntent(house, merchant, referenceNumber)).to.deep.equal(read)
  })

  it('does not prevent a cancel in the last millisecond', async () => {
    const { referenceNumber, expiresAt } = await createIntent(house, merchant)
    reach(expiresAt, -1)
    expect((await cancelIntent(house, merchant, referenceNumber)).status).to.equal(200)
    reach(expiresAt)
    expect(await expireIntent(house.deps, referenceNumber)).to.deep.equal({ expired: false, dueAt: null })
    expect(await readIntent(house, merchant, referenceNumber)).to.include({
      status: 'CANCELLED',
      cancellationReason: 'requested_by_merchant',
    })
    expect(await waitingEvents(house, merchant)).to.deep.equal(['payment.created', 'payment.cancelled'])
  })

  it('changes nothing if it comes too early, and returns when it is due', async () => {
    const { referenceNumber, expiresAt } = await createIntent(house, merchant)
    reach(expiresAt, -1)
    for (const _again of [1, 2])
      expect(await expireIntent(house.deps, referenceNumber)).to.deep.equal({
        expired: false,
        dueAt: new Date(expiresAt),
      })
    expect((await storedIntent(referenceNumber))?.status).to.equal('PENDING')
  })

  it('has one event, dated to when it was due, however often and in however many processes it runs', async () => {
    const receiver = await startReceiver()
    await subscribe(house, merchant, receiver.url)
    const { referenceNumber, expiresAt } = await createIntent(house, merchant)
    reach(expiresAt, 90_000)
    beside.clock.freeze(house.clock.now())
    const outcomes = await Promise.all(
      [house, beside, house, beside].map(({ deps }) => expireIntent(deps, referenceNumber)),
    )
    expect(outcomes.filter(({ expired }) => expired)).to.have.length(1)
    expect(await expireIntent(house.deps, referenceNumber)).to.deep.equal({ expired: false, dueAt: null })
    await relay(house, merchant)
    const bodies = await storedBodies(house, await deliveriesOf(house, merchant))
    expect(bodies.map(({ event }) => event)).to.deep.equal(['payment.created', 'payment.expired'])
    expect(bodies[1].created_at).to.equal(expiresAt)
    expect(bodies[1].data).to.include({
      reference_number: referenceNumber,
      status: 'CANCELLED',
      paid_at: null,
    })
    await receiver.close()
  })

  it('releases the code for another intent 15 minutes later, not before', async () => {
    const { referenceNumber, code, expiresAt } = await createIntent(house, merchant)
    const key = codeKeyOf({ businessId: merchant.businessId, sandbox: true }, code)
    reach(expiresAt)
    await expireIntent(house.deps, referenceNumber)
    reach(expiresAt, 15 * 60_000 - 1)
    expect(await freeIfReusable(house.deps, key)).to.equal(false)
    reach(expiresAt, 15 * 60_000)
    expect(await freeIfReusable(house.deps, key)).to.equal(true)
    expect(await freeIfReusable(house.deps, key)).to.equal(false)
    expect(await storedIntent(referenceNumber)).not.to.have.property('codeKey')
  })
})

describe('expiry with real workers and a lifetime of one second', () => {
  it('sends payment.expired exactly once, not before the time is up', async () => {
    const house = await openHouse({ INTENT_LIFETIME_SECONDS: '1' })
    const [merchant, receiver] = [await house.merchant(), await startReceiver()]
    house.startWorkers()
    await subscribe(house, merchant, receiver.url, ['payment.expired'])
    const made = await Promise.all(Array.from({ length: 10 }, () => createIntent(house, merchant)))
    await receiver.atLeast(10, 5_000)
    const expiresAt = new Map(made.map((intent) => [intent.referenceNumber, Date.parse(intent.expiresAt)]))
    for (const { at, json } of receiver.received) {
      expect(json.event).to.equal('payment.expired')
      expect(at).to.be.at.least(expiresAt.get(String(json.data.reference_number)) ?? Number.NaN)
    }
    // A second run finds nothing to do.
    await Promise.all(made.map(({ referenceNumber }) => expireIntent(house.deps, referenceNumber)))
    expect(await expireDue(house.deps)).to.equal(0)
    const delivered = async () =>
      (await deliveriesOf(house, merchant)).every(({ status }) => status === 'DELIVERED')
    await until('all is written down', delivered)
    expect(await deliveriesOf(house, merchant)).to.have.length(10)
    expect(receiver.received.map(({ json }) => json.data.reference_number)).to.have.members([
      ...expiresAt.keys(),
    ])
    await receiver.close()
    await house.close()
  })
})
