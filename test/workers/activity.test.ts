import { expect } from 'chai'
import { claimHour } from '../../src/activity/activity-count.ts'
import { type FiguresOwner, hourOf, type PaymentFigures } from '../../src/activity/activity-hour.ts'
import { countDueHours } from '../../src/activity/count-due.ts'
import { readActivity, type Slice, sum } from '../../src/activity/read.ts'
import type { Deps } from '../../src/deps.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { payIntent } from '../../src/intents/payments/pay.ts'
import { newId } from '../../src/security/ids.ts'
import { noCommission } from '../../src/wallets/commission.ts'
import type { WalletOutcome } from '../../src/wallets/wallet.ts'
import { attempt, createIntent, freshDelivery, relay, subscribe } from '../support/actions.ts'
import { type Chance, chanceOf } from '../support/chance.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { createGate } from '../support/gate.ts'
import { refund, storedIntent, withoutDeadline } from '../support/pay.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { type Merchant, withAnotherKey, withMerchant, withService } from '../support/service.ts'
import { withBatchers } from './set-up.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

describe('The activity figures', () => {
  const service = withService()
  const endpointServer = withEndpointServer()
  const merchant = withMerchant(service)
  let wallet: ReturnType<typeof scriptedWallet>
  before(() => {
    wallet = scriptedWallet(service)
  })
  beforeEach(() => service.clock.freeze(service.clock.now()))

  /** Makes a customer pay a new intent, with this outcome in the wallet. Returns the reference number. */
  async function payNew(owner: Merchant, outcome: WalletOutcome, amount: number, isOpen = false): Promise<string> {
    const input = isOpen ? { amountType: 'OPEN' } : { amount }
    const { referenceNumber } = await createIntent(service, owner, input)
    await payAgain(referenceNumber, outcome, amount)
    return referenceNumber
  }
  async function payAgain(referenceNumber: string, outcome: WalletOutcome, amount: number): Promise<void> {
    wallet.setOutcome(() => outcome)
    const intent = await storedIntent(service, referenceNumber)
    const form = { paymentId: newId(), phone: '22000001', pin: '1234', amount, commission: noCommission }
    await payIntent(service.deps, wallet, intent, form, withoutDeadline)
    wallet.setOutcome(() => ({ outcome: 'done' }))
  }
  const done = { outcome: 'done' } as const
  const declined = { outcome: 'declined', reason: 'insufficient_funds' } as const
  const refused = { outcome: 'refused', reason: 'wrong_pin' } as const
  const failed = { outcome: 'failed', reason: 'technical_error' } as const

  const moneyOf = ({ payments, amountPaid, failures, refunds, amountRefunded }: PaymentFigures) => [
    payments,
    amountPaid,
    failures,
    refunds,
    amountRefunded,
  ]
  /** The figures of the last 24 hours, and whether any of them is incomplete. */
  async function lastDay(owner: FiguresOwner) {
    const total = sum((await readActivity(service.deps, owner)).hours)
    return [...moneyOf(total), total.isIncomplete]
  }
  const ofMerchant = {
    get businessId() {
      return merchant.businessId
    },
    sandbox: true,
  }

  /** One step of random traffic. */
  async function act(chance: Chance, owner: Merchant): Promise<void> {
    const amount = chance.whole(1_000, 90_000)
    const outcome = chance.pick([done, done, done, declined, failed, refused])
    const referenceNumber = await payNew(owner, outcome, amount, chance.is(0.3))
    const repeats = chance.whole(0, 2)
    for (let made = 0; made < (outcome === declined ? repeats : 0); made += 1)
      await payAgain(referenceNumber, chance.pick([declined, done]), amount)
    for (let made = 0; made < (outcome === done ? repeats : 0); made += 1) {
      service.clock.advance(chance.whole(0, hourMs))
      await refund(service, owner, referenceNumber, chance.whole(1, amount / 2))
    }
  }

  /** Counts the intents themselves. The clock is frozen during a refund, so the refund ends at its `createdAt`. */
  function countIntents(intents: Intent[], from: number, to: number): number[] {
    const isIn = (at: Date | undefined) => at !== undefined && at.getTime() >= from && at.getTime() < to
    const paid = intents.flatMap(({ payment }) => (payment !== null && isIn(payment.paidAt) ? [payment] : []))
    const failures = intents.flatMap(({ attempts }) =>
      attempts.filter(({ outcome, at }) => (outcome === 'declined' || outcome === 'failed') && isIn(at)),
    )
    const refunds = intents.flatMap((intent) =>
      intent.refunds.filter(({ status, createdAt }) => status === 'SUCCEEDED' && isIn(createdAt)),
    )
    const total = (amounts: number[]) => amounts.reduce((one, other) => one + other, 0)
    return [
      paid.length,
      total(paid.map(({ amountPaid }) => amountPaid)),
      failures.length,
      refunds.length,
      total(refunds.map(({ amount }) => amount)),
    ]
  }

  it('match the intents of each hour and day, for each business and for all businesses, in each environment', async () => {
    const chance = chanceOf(20_261_126)
    const other = await service.merchant()
    const live = await Promise.all([merchant, other].map((each) => withAnotherKey(service, each, { mode: 'live' })))
    const owners = [merchant, other, ...live]
    for (let step = 0; step < 12; step += 1) {
      await act(chance, owners[step % owners.length] ?? merchant)
      if (chance.is(0.2)) await relay(service, chance.pick(owners))
      if (chance.is(0.2)) await countDueHours(service.deps)
      service.clock.advance(chance.whole(0, 2 * hourMs))
    }
    for (const owner of [merchant, other]) await relay(service, owner)
    await countAll()
    for (const businessId of [merchant.businessId, other.businessId, null])
      for (const sandbox of [true, false]) {
        const filter = businessId === null ? { sandbox } : { businessId, sandbox }
        const intents = await service.deps.Intent.find(filter).lean<Intent[]>()
        const { hours, days } = await readActivity(service.deps, { businessId, sandbox })
        const expectSame = (slices: Slice[], lengthMs: number) =>
          expect(slices.map(moneyOf)).to.deep.equal(
            slices.map(({ start }) => countIntents(intents, start.getTime(), start.getTime() + lengthMs)),
          )
        expectSame(hours, hourMs)
        expectSame(days, dayMs)
        expect(sum(days)).to.include({ isIncomplete: false }).and.to.have.property('payments').above(0)
      }
    const stored = () => service.deps.ActivityHour.find().sort({ _id: 1 }).lean()
    const before = await stored()
    await service.deps.ActivityCount.updateMany(
      { _id: { $gt: new Date(service.clock.now().getTime() - dayMs) } },
      { dueAt: service.clock.now() },
    )
    await countAll()
    expect(await stored()).to.deep.equal(before)
  })

  /** Polls as often as it takes to count every hour that is due. */
  async function countAll(): Promise<void> {
    const { ActivityCount } = service.deps
    do await countDueHours(service.deps)
    while ((await ActivityCount.exists({ dueAt: { $lte: service.clock.now() } })) !== null)
  }

  it('are corrected if an event is relayed after its hour was counted for the last time, even if the relay is killed at any step', async () => {
    const late = await service.merchant()
    const owner = { businessId: late.businessId, sandbox: true }
    await payNew(late, done, 700)
    service.clock.advance(3 * hourMs)
    await countAll()
    expect(await lastDay(owner)).to.deep.equal([0, 0, 0, 0, 0, false])
    const die = async () => {
      throw new Error('killed')
    }
    for (const step of ['insertActivity', 'countAgain', 'emptyIntentOutbox']) {
      const dying = withBatchers(service.deps, { [step]: die })
      expect(await relay(service, late, dying).catch(String), step).to.equal('Error: killed')
      await countAll()
    }
    await relay(service, late)
    await countAll()
    expect(await lastDay(owner)).to.deep.equal([1, 700, 0, 0, 0, false])
  })

  it('are counted again if a worker is killed while it counts, and never decrease if it was only frozen', async () => {
    const owner = await service.merchant()
    const figures = () => lastDay({ businessId: owner.businessId, sandbox: true })
    service.clock.freeze(new Date(hourOf(service.clock.now()) + hourMs + 10 * minuteMs))
    await payNew(owner, done, 900)
    await relay(service, owner)
    const frozen = freezeBeforeWrite(service.deps)
    const counting = countDueHours(frozen.deps)
    await frozen.read
    await payNew(owner, declined, 900)
    await relay(service, owner)
    service.clock.advance(2 * minuteMs)
    expect(await claimHour(service.deps)).to.include({ hour: hourOf(service.clock.now()) })
    await countDueHours(service.deps)
    expect(await figures()).to.deep.equal([0, 0, 0, 0, 0, false])
    service.clock.advance(minuteMs)
    await countAll()
    expect(await figures()).to.deep.equal([1, 900, 1, 0, 0, false])
    frozen.thaw()
    await counting
    expect(await figures()).to.deep.equal([1, 900, 1, 0, 0, false])
  })

  /** A worker that is frozen after it has read the entries of an hour. */
  function freezeBeforeWrite(deps: Deps): { deps: Deps; read: Promise<void>; thaw(): void } {
    const [reading, thawing] = [createGate(), createGate()]
    const { collection } = deps.lists.models.ActivityEntry
    const aggregate = (...stages: Parameters<typeof collection.aggregate>) => ({
      async toArray() {
        const rows = await collection.aggregate(...stages).toArray()
        reading.open()
        await thawing.passed
        return rows
      },
    })
    const ActivityEntry = { collection: { aggregate, findOne: collection.findOne.bind(collection) } }
    const models = { ...deps.lists.models, ActivityEntry: ActivityEntry as never }
    const slow = { ...deps, lists: { ...deps.lists, models } }
    return { deps: slow, read: reading.passed, thaw: thawing.open }
  }

  it('show an hour as incomplete as long as no worker has counted it since it ended', async () => {
    await countAll()
    expect((await lastDay(ofMerchant))[5]).to.equal(false)
    service.clock.advance(2 * hourMs)
    expect((await lastDay(ofMerchant))[5]).to.equal(true)
    expect((await readActivity(service.deps, ofMerchant)).countedAt).to.equal(null)
    await countAll()
    expect((await lastDay(ofMerchant))[5]).to.equal(false)
    expect((await readActivity(service.deps, ofMerchant)).countedAt).to.deep.equal(service.clock.now())
  })

  it('count the attempts at deliveries of each business, separately for live and sandbox', async () => {
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    await subscribe(service, live, endpointServer.url)
    const attempts = async (businessId: string | null, sandbox: boolean) => {
      const { delivered, retrying, dead } = sum((await readActivity(service.deps, { businessId, sandbox })).hours)
      return [delivered, retrying, dead]
    }
    await attempt(service.deps, (await freshDelivery(service, merchant))._id)
    endpointServer.respondWith((res) => void res.writeHead(500).end())
    await attempt(service.deps, (await freshDelivery(service, merchant))._id)
    await attempt(service.deps, (await freshDelivery(service, live))._id)
    await service.deps.healthNotes.close()
    for (const businessId of [merchant.businessId, null]) {
      expect(await attempts(businessId, true)).to.deep.equal([1, 1, 0])
      expect(await attempts(businessId, false)).to.deep.equal([0, 1, 0])
    }
  })
})
