import { cancelIntents } from '../../src/intents/cancel.ts'
import { parseNewIntent, createIntent as runCreate } from '../../src/intents/create.ts'
import { expireIntent } from '../../src/intents/expire.ts'
import type { InsertOutcome } from '../../src/mongo/batchers.ts'
import type { Batchers } from '../../src/platform/deps.ts'
import { type Created, cancelIntent, createIntent, readIntent } from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { deadlineMs } from '../support/machine.ts'
import { outboxEventsOf, outcomeName, pay, refund, simulate, storedIntent } from '../support/pay.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import {
  asMerchant,
  intents,
  loseResponses,
  type Merchant,
  tester,
  withAnotherKey,
  withServiceAndMerchantPerTest,
} from '../support/service.ts'
import { newRequest } from '../support/write-request.ts'

const hour = 3_600_000
const merchantReference = 'Nº 1042'
const input = { amount: 700, merchantReference }

describe("An intent's merchantReference", () => {
  const { service, merchant } = withServiceAndMerchantPerTest({ INTENT_LIFETIME_SECONDS: '3600' })
  let restore = (): unknown => null
  afterEach(() => {
    service.clock.freeze(null)
    restore()
  })

  const create = (as: Merchant = merchant, key?: string, body: object = input) =>
    service.http.post(intents).set(as.write(key)).send(body)
  const held = () => createIntent(service, merchant, input)
  const list = async (query: string, as: Merchant = merchant) => {
    const { items, total } = (await service.http.get(`${intents}?${query}`).set(as.read())).body.data
    return { references: items.map((each: Created) => each.referenceNumber), total }
  }

  async function expectTaken({ referenceNumber }: Pick<Created, 'referenceNumber'>, as?: Merchant) {
    const { status, body } = await create(as)
    const { code, param, details } = body.error ?? {}
    const expected = [409, 'MERCHANT_REFERENCE_TAKEN', 'merchantReference', { referenceNumber }]
    expect([status, code, param, details], JSON.stringify(body)).to.deep.equal(expected)
  }
  type Insert = Batchers['insertIntent']
  function onInsert(act: (insert: Insert, ...args: Parameters<Insert>) => Promise<InsertOutcome>) {
    const { batchers } = service.deps
    const { insertIntent } = batchers
    restore = () => Object.assign(batchers, { insertIntent })
    batchers.insertIntent = (...args) => act(insertIntent, ...args)
  }
  const refusedByReference: InsertOutcome = { inserted: false, index: 'referenceInUse' }

  it('accepts 1 to 64 code points of storable text and rejects all other values', async () => {
    const of = (reference: unknown) => create(merchant, undefined, { ...input, merchantReference: reference })
    for (const reference of ['7', '💰'.repeat(64), '"é\\', '$gt', 'PI-23456789ABCDEFGH', '2026.11'])
      expect((await of(reference)).body.data).to.include({ merchantReference: reference })
    for (const reference of ['', ' \t', '💰'.repeat(65), '\0', '\ud800', 7, ['7'], {}]) {
      const { status, body } = await of(reference)
      const expected = { code: 'VALIDATION_ERROR', param: 'merchantReference' }
      expect(status, JSON.stringify(reference)).to.equal(400)
      expect(body.error, JSON.stringify(reference)).to.include(expected)
    }
  })

  it('is in every response, never changes, and is null if the merchant sent none', async () => {
    for (const [reference, body] of [[merchantReference, input] as const, [null, { amount: 700 }] as const]) {
      const paid = await createIntent(service, merchant, body)
      const responses = [
        await simulate(service, merchant, paid.referenceNumber),
        await refund(service, merchant, paid.referenceNumber, 1),
        { body: { data: await readIntent(service, merchant, paid.referenceNumber) } },
        { body: { data: paid } },
        { body: { data: (await service.http.get(intents).set(merchant.read())).body.data.items[0] } },
      ]
      for (const response of responses)
        expect(response.body.data).to.include({ merchantReference: reference })
    }
    const other = await createIntent(service, merchant, { amount: 1, merchantReference: 'other' })
    const { body } = await cancelIntent(service, merchant, other.referenceNumber)
    expect(body.data).to.include({ merchantReference: 'other' })
  })

  it('is unique per business and environment, even among concurrent create requests with different keys', async () => {
    const [second, live, stranger] = await Promise.all([
      withAnotherKey(service, merchant),
      withAnotherKey(service, merchant, { mode: 'live' }),
      service.merchant(),
    ])
    const callers = [merchant, second, live, stranger].flatMap((each) => [each, each, each, each, each, each])
    const responses = await Promise.all(callers.map((each) => create(each)))
    for (const owners of [[merchant, second], [live], [stranger]]) {
      const own = responses.filter((_, index) => owners.includes(callers[index] ?? merchant))
      const [made, ...more] = own.filter(({ status }) => status === 201)
      expect(more).to.deep.equal([])
      const { referenceNumber } = made?.body.data ?? {}
      for (const { status, body } of own.filter((each) => each !== made))
        expect([status, body.error.details]).to.deep.equal([409, { referenceNumber }])
    }
    const businessId = { $in: [merchant.businessId, stranger.businessId] }
    expect(await service.deps.Intent.countDocuments({ businessId, merchantReference })).to.equal(3)
  })

  it('lets a retry return the intent that it created, even if that intent no longer has the reference', async () => {
    const first = await create(merchant, 'same-key')
    await loseResponses(service)
    const again = await create(merchant, 'same-key')
    expect([again.status, again.text]).to.deep.equal([201, first.text])
    expect(again.headers['idempotent-replayed']).to.equal('true')
    await cancelIntent(service, merchant, first.body.data.referenceNumber)
    const other = { ...input, merchantReference: 'other' }
    let lost = ''
    // An earlier attempt's insert arrives just before. MongoDB may report either index.
    onInsert(async (insert, intent, deadlineAt) => {
      restore()
      await insert(intent, deadlineAt)
      lost = intent.referenceNumber
      await cancelIntent(service, merchant, lost)
      await createIntent(service, merchant, other)
      return refusedByReference
    })
    const late = await create(merchant, 'late', other)
    expect([late.status, late.body.data.referenceNumber]).to.deep.equal([201, lost])
  })

  it('becomes free once its intent is cancelled or permanently fails, but not while it may be paid', async () => {
    const wallet = scriptedWallet(service)
    const ways: Record<string, (reference: string) => Promise<unknown>> = {
      cancel: (reference) => cancelIntent(service, merchant, reference),
      'bulk cancel': () =>
        cancelIntents(
          service.deps,
          { businessId: merchant.businessId, sandbox: true, createdBefore: new Date(8.64e15) },
          { ...tester, pending: 1, ending: new AbortController().signal, count: () => undefined },
        ),
      'failed simulation': (reference) =>
        simulate(service, merchant, reference, { outcome: 'technical_error' }),
      'failed payment': (reference) => {
        wallet.setOutcome(() => ({ outcome: 'failed', reason: 'wallet_closed' }))
        return pay(service, reference)
      },
    }
    for (const [way, end] of Object.entries(ways)) {
      const intent = await held()
      await expectTaken(intent)
      await end(intent.referenceNumber)
      expect(await storedIntent(service, intent.referenceNumber), way).to.not.have.property('referenceKey')
    }
    wallet.setOutcome(() => ({ outcome: 'declined', reason: 'insufficient_funds' }))
    const open = await held()
    expect(outcomeName(await pay(service, open.referenceNumber))).to.equal('declined')
    await expectTaken(open)
    wallet.setOutcome(() => ({ outcome: 'unknown', why: 'timeout' }))
    await pay(service, open.referenceNumber)
    service.clock.advance(2 * hour)
    await expectTaken(open)
  })

  it('becomes free at the expiry time even while no worker runs', async () => {
    const old = await held()
    service.clock.freeze(new Date(Date.parse(old.expiresAt) - 1))
    await expectTaken(old)
    service.clock.freeze(new Date(old.expiresAt))
    const responses = await Promise.all(Array.from({ length: 6 }, () => create()))
    const made = responses.filter(({ status }) => status === 201)
    expect(made).to.have.lengthOf(1)
    const { referenceNumber } = made[0]?.body.data ?? {}
    for (const { status, body } of responses.filter((each) => each !== made[0]))
      expect([status, body.error.details]).to.deep.equal([409, { referenceNumber }])
    await expireIntent(service.deps, old.referenceNumber)
    const stored = await storedIntent(service, old.referenceNumber)
    expect(outboxEventsOf(stored)).to.deep.equal(['payment.created', 'payment.expired'])
    expect(stored).to.include({ status: 'CANCELLED', cancellationReason: 'expired' })
    expect(stored.updatedAt.toISOString()).to.equal(old.expiresAt)
  })

  it('stays in use once the intent is PAID or REFUNDED, even for a new idempotency key a day later', async () => {
    const intent = await held()
    await simulate(service, merchant, intent.referenceNumber)
    service.clock.advance(25 * hour)
    await expectTaken(intent)
    await refund(service, merchant, intent.referenceNumber, 700)
    service.clock.advance(25 * hour)
    await expectTaken(intent)
    await expectTaken(intent, asMerchant(merchant.businessId, await service.key(merchant.businessId)))
  })

  it('uses up no short code if it is already in use', async () => {
    const intent = await held()
    const before = await service.deps.shortCodes.take(Number.POSITIVE_INFINITY)
    service.deps.shortCodes.giveBack(before)
    await expectTaken(intent)
    expect(await service.deps.shortCodes.take(Number.POSITIVE_INFINITY)).to.equal(before)
  })

  it('is accepted within the deadline of the create request if the intent that used it has just ended', async () => {
    let inserts = 0
    onInsert(async (insert, ...args) => {
      inserts += 1
      return inserts < 3 ? refusedByReference : insert(...args)
    })
    expect((await create()).status).to.equal(201)
    restore()
    inserts = 0
    onInsert(async () => {
      inserts += 1
      return refusedByReference
    })
    const caller = callerOf(merchant)
    const body = parseNewIntent(service.deps, true, { ...input, merchantReference: 'other' })
    const request = newRequest(service.deps, { deadlineAt: performance.now() + deadlineMs(200) })
    const refusal = await runCreate(service.deps, caller, body, request).catch((error) => error)
    expect([refusal.code, inserts > 1]).to.deep.equal(['SERVICE_UNAVAILABLE', true])
  })

  it('filters a list of intents, alone or combined with status and creation time', async () => {
    const made: string[] = []
    for (const end of [cancelIntent, simulate, null]) {
      const { referenceNumber } = await createIntent(service, merchant, {
        ...input,
        merchantReference: end === null ? 'nº 1042' : merchantReference,
      })
      await end?.(service, merchant, referenceNumber)
      made.unshift(referenceNumber)
      service.clock.advance(60_000)
    }
    await createIntent(service, await service.merchant(), input)
    const [similar, paid, cancelled] = made
    const query = `merchantReference=${encodeURIComponent(merchantReference)}`
    expect(await list(query)).to.deep.equal({ references: [paid, cancelled], total: 2 })
    expect(await list(`${query}&limit=1&page=2`)).to.deep.equal({ references: [cancelled], total: 2 })
    expect(await list(`${query}&status=CANCELLED`)).to.deep.equal({ references: [cancelled], total: 1 })
    expect(await list(`${query}&status=PENDING`)).to.deep.equal({ references: [], total: 0 })
    const { createdAt } = await storedIntent(service, paid ?? '')
    const from = `from=${createdAt.toISOString()}`
    expect(await list(`${query}&${from}`)).to.deep.equal({ references: [paid], total: 1 })
    service.clock.advance(2 * hour)
    const overdue = 'merchantReference=n%C2%BA+1042'
    expect(await list(`${overdue}&status=CANCELLED`)).to.deep.equal({ references: [similar], total: 1 })
    expect(await list(`${overdue}&status=PENDING`)).to.deep.equal({ references: [], total: 0 })
  })
})
