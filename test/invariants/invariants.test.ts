import { createIntent } from '../support/actions.ts'
import { expectIntact, openService } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { type Circumstances, type Invariant, type Stored, violations } from './check.ts'
import { breaks, excuse } from './expect-invariants.ts'
import { endpointId, idOf, type Ordinary, ordinaryDocuments } from './ordinary.ts'

const the = <T>(thing: T | null | undefined): T => {
  if (thing === null || thing === undefined) throw new Error('there is none')
  return thing
}
type Given = Ordinary & { stored: Stored }
const brokenIn = ({ stored }: Given, circumstances?: Partial<Circumstances>): string[] => [
  ...new Set(violations(stored, circumstances).map((each) => (each.crashed ? each.what : each.invariant))),
]
const given = (): Given => {
  const round = ordinaryDocuments()
  return { ...round, stored: round.dump as unknown as Stored }
}
const openingStock = new Map([[idOf('variant'), 15]])

const damage: Record<Invariant, Record<string, (round: Given) => unknown>> = {
  'documents owned': {
    'a delivery has no business': ({ dump }) => Object.assign(the(dump.deliveries[0]), { businessId: null }),
    'an order has no environment': ({ dump }) => Object.assign(the(dump.orders[0]), { sandbox: undefined }),
    'an endpoint has no business': ({ stored }) =>
      Object.assign(the(stored.webhookendpoints[0]), { businessId: '' }),
    'a collection is not listed': ({ stored }) => (stored.novelties = []),
  },
  'claims end': {
    "a delivery's lease has no end": ({ dump }) => (the(dump.deliveries[0]).leaseToken = 'x'),
    'the wallet is never queried for a payment': ({ byWallet }) =>
      Object.assign(byWallet, { hold: { id: 'x', validUntil: 0 } }),
    'a replay is never continued': ({ dump }) => (the(dump.webhookreplays[0]).status = 'RUNNING'),
  },
  'intent status': {
    'a payment is missing': ({ paid }) => (paid.payment = null),
    'a cancelled intent still expires': ({ cancelled }) => (cancelled.cancelsAt = cancelled.expiresAt),
    'two intents share a short code': ({ paid, expired }) => (paid.shortCode = expired.shortCode),
  },
  'refunds bounded': {
    'more is refunded than was paid': ({ paid }) => (the(paid.refunds[0]).amount = 501),
    'a fee is given back twice': ({ paid }) => (paid.feesReturned.providerTtc = 8),
  },
  'events once': {
    'an event was lost': ({ dump }) => dump.events.splice(3, 1),
    'an event happened twice': ({ dump }) => dump.events.push({ ...the(dump.events[0]), _id: 'again' }),
    'an event is in its outbox twice': ({ paid }) => {
      const one = { id: 'x', event: 'payment.failed', createdAt: 0, facts: { status: 'PENDING' } }
      paid.outbox.push(one, one)
    },
    'an event reports a wrong amount': ({ dump }) =>
      (the(dump.events.find(({ event }) => event === 'payment.confirmed')).facts.amount = 501),
    'an event belongs to no intent': ({ dump }) => (the(dump.events[0]).referenceNumber = 'PI-NONE'),
  },
  'event log': { 'a number is missing': ({ dump }) => (the(dump.events.at(-1)).number += 1) },
  'delivery of event': {
    "a delivery's event does not exist": ({ dump }) => (the(dump.deliveries[0])._id = 'x'.repeat(32)),
    "a delivery doesn't match its event": ({ dump }) => (the(dump.deliveries[0]).facts = { status: 'PAID' }),
    "a delivery's endpoint belongs to another business": ({ dump }) =>
      (the(dump.webhookendpoints[0]).businessId = 'other'),
  },
  'deliveries complete': { 'an endpoint has no delivery': ({ dump }) => dump.deliveries.pop() },
  'delivery state': {
    'an open delivery is never attempted': ({ dump }) => (the(dump.deliveries[0]).status = 'RETRYING'),
    'a delivery died too early': ({ dump }) =>
      Object.assign(the(dump.deliveries[0]), { status: 'DEAD', deliveredAt: null, deadAt: 1 }),
    'an attempt is not recorded': ({ dump }) => dump.deliveries[1]?.attemptLog.pop(),
  },
  'ledger chain': {
    'an entry is missing': ({ dump }) => dump.ledgerentries.splice(1, 1),
    'a balance is wrong': ({ dump }) => (the(dump.ledgerentries.at(-1)).after.balance += 1),
  },
  'ledger entries': {
    'a refund is not booked': ({ dump }) => dump.ledgerentries.splice(2),
    'a reference is missing': ({ dump }) => (the(dump.ledgerentries[0]).merchantReference = null),
    'a payment is booked on the wrong day': ({ dump }) => (the(dump.ledgerentries[0]).day = '2026-11-20'),
    'an entry belongs to no event': ({ dump }) => (the(dump.ledgerentries[0])._id = 'x'),
  },
  'wallet movements': {
    'a payment moved no money': ({ dump }) => dump.walletmovements.pop(),
    'a payment moved its amount without its fee': ({ dump }) => (the(dump.walletmovements[0]).fee = 0),
    'the record of a payment will expire': ({ dump }) => (the(dump.walletmovements[0]).forgetAt = 1),
    'money moved for no intent': ({ dump }) =>
      dump.walletmovements.push({ ...the(dump.walletmovements[0]), _id: 'x' }),
  },
  'wallet balances': {
    'a centime is missing': ({ dump }) => (the(dump.wallets[0]).balance -= 1),
    'a balance is negative': ({ dump }) => (the(dump.wallets[0]).balance = -1),
  },
  'order totals': { 'a line is missing from the total': ({ dump }) => (the(dump.orders[0]).total += 1) },
  'stock conserved': {
    'a unit is missing': ({ dump }) => (the(dump.products[0]?.variants[0]).stock = 11),
    'the stock is negative': ({ dump }) => (the(dump.products[1]?.variants[0]).stock = -1),
  },
}

describe('The invariant check', () => {
  it('accepts the data of an idle service', () =>
    expect(brokenIn(given(), { openingStock })).to.deep.equal([]))

  it('accepts the states between the steps of relays and payments', () => {
    const round = given()
    const { dump, byWallet } = round
    const logged = the(dump.events.find(({ event }) => event === 'payment.confirmed' && byWallet))
    const { _id: id, event, createdAt, facts, referenceNumber } = logged
    const source = the(dump.intents.find((intent) => intent.referenceNumber === referenceNumber))
    // In the outbox and the log, and booked without its fee.
    source.outbox.push({ id, event, createdAt, facts })
    expect(brokenIn(round)).to.deep.equal([])
  })

  it('accepts the data that a clean-up leaves', () => {
    const round = given()
    const { dump } = round
    dump.ledgerentries.splice(0, 2)
    dump.events.splice(0, 3)
    dump.deliveries = []
    dump.walletmovements = []
    for (const intent of dump.intents) intent.cleanedAt = 1
    expect(brokenIn(round, { isCleaned: true, cleanedBefore: Number.POSITIVE_INFINITY })).to.deep.equal([])
    expect(brokenIn(round)).to.include.members(['events once', 'event log', 'ledger chain'])
  })

  it('does not require deliveries to an endpoint that was changed', () => {
    const round = given()
    the(round.dump.webhookendpoints.find(({ _id }) => _id === endpointId)).updatedAt += 1
    round.dump.deliveries = []
    expect(brokenIn(round)).to.deep.equal([])
  })

  for (const [invariant, cases] of Object.entries(damage))
    for (const [what, plant] of Object.entries(cases))
      it(`reports a violation of "${invariant}" if ${what}`, () => {
        const round = given()
        plant(round)
        expect(brokenIn(round, { openingStock })).to.include(invariant)
      })

  it('runs whenever a test closes a service', async () => {
    const service = await openService()
    const faults = (check: Promise<void>): Promise<string> =>
      check.then(
        () => 'none',
        ({ message }: Error) => message.replace('The stored documents break invariants:', ''),
      )
    const merchant = await service.merchant()
    const { referenceNumber } = await createIntent(service, merchant)
    const { _id } = await createProduct(service, merchant)
    expect(await faults(expectIntact(service.deps))).to.equal('none')
    await service.deps.Intent.updateOne({ referenceNumber }, { $set: { outbox: [] } })
    await service.deps.Product.updateOne({ _id }, { $set: { 'variants.0.stock': 4 } })
    expect(await faults(expectIntact(service.deps))).to.match(
      /^\n +events once: PI-\w+ payment.created is in no.*\n +stock conserved: \w+ has 4 .*$/,
    )
    breaks(service, 'events once', referenceNumber)
    excuse([_id])
    expect(await faults(expectIntact(service.deps))).to.equal('none')
    breaks(service, 'ledger chain')
    expect(await faults(service.close())).to.match(/^\n +ledger chain: expected to be broken.*$/)
  })
})
