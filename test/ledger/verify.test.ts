import { randomBytes } from 'node:crypto'
import type { LoggedEvent } from '../../src/events/log.ts'
import { type LedgerDraft, type LedgerEntry, linkLedgerEntry } from '../../src/ledger/entry.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import { bookPayoutOnce } from '../../src/payouts/pay-out.ts'
import { newId } from '../../src/platform/ids.ts'
import { toUtcDay } from '../../src/platform/time.ts'
import { runCleanUp } from '../../src/retention/clean-up.ts'
import { createEncrypter } from '../../src/security/encrypt.ts'
import { reencryptField } from '../../src/security/reencrypt.ts'
import { checkAuditTrail, findLatestCheck } from '../../src/verification/nightly-check.ts'
import type { StoredSeal } from '../../src/verification/seal.ts'
import { verifyLedgers } from '../../src/verification/verify-ledger.ts'
import { openAdmin } from '../admin/admin.ts'
import { createIntent, relay } from '../support/actions.ts'
import { closeInBackground } from '../support/closing.ts'
import { receiveLive } from '../support/ledger.ts'
import { refund, simulate } from '../support/pay.ts'
import { recordLog } from '../support/recorded-log.ts'
import type { Merchant, Service } from '../support/service.ts'
import { secretKey, tester, withAnotherKey, withService, withServicePerTest } from '../support/service.ts'
import { openVictim } from '../support/victim.ts'

const dayMs = 86_400_000
const unwatched = { count: () => undefined, done: () => undefined }

describe('Ledger verification', () => {
  let service: Service
  let merchant: Merchant
  let live: Merchant
  let paid: string
  const setUp = async (opened: Service) => {
    service = opened
    service.clock.freeze(new Date('2027-03-10T12:00:00Z'))
    merchant = await service.merchant()
    live = await withAnotherKey(service, merchant, { mode: 'live' })
    await payTest(20_000)
    await refundTest(5_000)
    await payOutTest(100)
    paid = await receiveLive(service, live, 10_000, 200)
    await payLive(300)
    await receiveLive(service, live, 20_000, 400)
  }
  let last = ''
  async function payTest(amount: number): Promise<void> {
    last = (await createIntent(service, merchant, { amount, merchantReference: `N-${newId()}` }))
      .referenceNumber
    expect((await simulate(service, merchant, last)).status).to.equal(200)
    await relay(service, merchant)
  }
  async function refundTest(amount: number): Promise<void> {
    expect((await refund(service, merchant, last, amount)).status).to.equal(200)
    await relay(service, merchant)
  }
  const owner = (sandbox: boolean) => ({ businessId: merchant.businessId, sandbox })
  const send = (sandbox: boolean, amount: number, reference: string = newId()) =>
    bookPayoutOnce(service.deps, { ...owner(sandbox), amount, reference }, tester)
  const payOutTest = (amount: number) => send(true, amount)
  const payLive = (amount: number) => send(false, amount)
  const entries = () => rawCollection(service.deps.LedgerEntry)
  const events = () => rawCollection(service.deps.LoggedEvent)
  const chain = () =>
    entries()
      .find(owner(false), { sort: { number: 1 } })
      .toArray()
  const verify = async () => {
    const { exitCode, stdout } = await openAdmin(service).here('ledger', 'verify', '--json')
    const { proven, faults, ledgers } = JSON.parse(stdout)
    expect(exitCode).to.equal(proven ? 0 : 1)
    return { ledgers, faults: faults.map(({ fault }: { fault: string }) => fault) as string[] }
  }
  /** Does what the command does, but with the test's clock. */
  const faultsHere = async () => (await verifyLedgers(service.deps, (batch) => batch(), true)).faults
  const night = (log = service.deps.log, deps = service.deps) =>
    checkAuditTrail({ ...deps, log }, new AbortController().signal)
  const nextDay = (days = 1) => service.clock.advance(days * dayMs)
  /** Appends an entry with every field its chain requires, like a forger who knows the code. */
  async function forge(draft: Partial<LedgerDraft> & Pick<LedgerDraft, 'type' | 'amount'>): Promise<void> {
    const before = (await chain()).at(-1) ?? null
    const now = service.deps.now()
    const forged = { _id: newId(), day: toUtcDay(now), ...draft }
    await entries().insertMany(linkLedgerEntry(owner(false), before, forged, now))
  }
  async function rewrite(change: (chained: LedgerEntry[]) => LedgerEntry[]): Promise<void> {
    const rest = change(await chain())
    const links: LedgerEntry[] = []
    for (const entry of rest) {
      const { position: _p, typePosition: _t, after: _a, number: _n, ...draft } = entry
      links.push(...linkLedgerEntry(owner(false), links.at(-1) ?? null, draft as LedgerDraft, entry.bookedAt))
    }
    await restore(links)
  }
  const change = (filter: object, update: object) => () =>
    entries().updateOne({ ...owner(false), ...filter }, update)
  const amend = (at: number, fields: Partial<LedgerEntry>) => () =>
    rewrite((chained) => chained.map((entry, index) => (index === at ? { ...entry, ...fields } : entry)))
  async function restore(chained: LedgerEntry[]): Promise<void> {
    await entries().deleteMany(owner(false))
    await entries().insertMany(chained)
  }
  /** Changes to the live ledger, and what is found. Entries 1 and 2 are a payment and its fee, 3 is a payout. */
  const tamperings: Record<string, [tamper: () => Promise<unknown>, fault: RegExp]> = {
    'an amount was changed': [
      change({ number: 1 }, { $inc: { amount: 500 } }),
      /^Entry 1 does not follow .* in after/,
    ],
    'the last balance was changed': [
      change({ number: 5 }, { $inc: { 'after.balance': 9_000 } }),
      /^Entry 5 does not follow .*\(balance 38100 instead of 29100\)/,
    ],
    'an amount and all later balances were changed': [
      amend(3, { amount: 90_000 }),
      /^Entry 4 differs from the payment PI-\w+ in amount\./,
    ],
    'a fee was lowered': [amend(1, { amount: -1 }), /^Entry 2 differs from the fee PI-\w+ in amount\./],
    'a payout was lowered': [amend(2, { amount: -1 }), /^Entry 3 differs from the payout \w+ in amount\./],
    "a merchant's reference was changed": [
      change({ number: 1 }, { $set: { merchantReference: 'X' } }),
      /^Entry 1 differs from the payment PI-\w+ in merchantReference\./,
    ],
    'an entry was removed': [
      () => entries().deleteOne({ ...owner(false), number: 2 }),
      /^Entry 2 is missing\./,
    ],
    'an entry was removed and all others were renumbered': [
      () => rewrite((chained) => chained.toSpliced(1, 1)),
      /^There is no entry for the fee PI-\w+\./,
    ],
    'the last entries were removed': [
      () => entries().deleteMany({ ...owner(false), number: { $gte: 4 } }),
      /^There is no entry for the payment PI-\w+\./,
    ],
    'the whole ledger was removed': [() => entries().deleteMany(owner(false)), /^There is no entry for the /],
    'two entries were swapped': [
      async () => {
        const [one, , , other] = await chain()
        for (const [from, to] of [
          [1, 0],
          [4, 1],
          [0, 4],
        ])
          await change({ number: from }, { $set: { number: to } })()
        expect([one?.number, other?.number]).to.deep.equal([1, 4])
      },
      /^Entry 1 does not follow/,
    ],
    'a payment entry was forged': [
      () => forge({ type: 'payment', amount: 9_000, referenceNumber: 'PI-3333333333333333' }),
      /^Entry 6 books the payment PI-3333333333333333, which does not exist\./,
    ],
    'a refund that adds money was forged': [
      () => forge({ type: 'refund', amount: 9_000, referenceNumber: paid, refundId: 'RF-3333333333333333' }),
      /^Entry 6 books the refund RF-3333333333333333, which does not exist\./,
    ],
    'a payment was booked again with a second event': [
      async () => {
        const [entry] = await chain()
        const event = await events().findOne({ _id: String(entry?._id) })
        const _id = newId()
        await events().insertOne({ ...event, _id, number: 99 } as LoggedEvent)
        await forge({ ...(entry as LedgerDraft), _id })
      },
      /^Entry 6 books the payment PI-\w+ without its event\./,
    ],
    'an entry was removed with its event': [
      async () => {
        await rewrite((chained) => chained.slice(0, 3))
        await events().deleteOne({ event: 'payment.confirmed', 'facts.amount': 20_000, ...owner(false) })
      },
      /^There is no entry for the payment PI-\w+\./,
    ],
    'a payout without an audit line was forged': [
      () => forge({ type: 'payout', amount: 700, payoutReference: 'TR-X' }),
      /^Entry 6 books the payout \w+, which does not exist\./,
    ],
    'an entry lost required fields': [change({ number: 4 }, { $unset: { after: 1, bookedAt: 1 } }), /./],
    'an entry number was made infinite': [
      change({ number: 5 }, { $set: { number: Number.POSITIVE_INFINITY } }),
      /^An entry has the number Infinity\./,
    ],
    'an entry with text as its number was forged': [
      async () => {
        await forge({ type: 'payment', amount: 5_000_000 })
        await change({ number: 6 }, { $set: { number: '99' } })()
      },
      /^An entry has the number '99'\./,
    ],
  }
  describe('before anything is sealed', () => {
    const shared = withService()
    before(() => setUp(shared))
    for (const [what, [tamper, fault]] of Object.entries(tamperings))
      it(`finds that ${what}, and blocks payouts`, async () => {
        const [before, logged] = [await chain(), await events().find(owner(false)).toArray()]
        await tamper()
        const [found, ...others] = await faultsHere()
        expect(found?.fault).to.match(fault)
        expect(others).to.deep.equal([])
        expect(await send(false, 1, 'TR-9').then(() => 'paid out', String)).to.match(
          /^(Ledger|Type|Range)?Error: /,
        )
        expect(await entries().countDocuments({ ...owner(false), payoutReference: 'TR-9' })).to.equal(0)
        await payOutTest(1)
        await events().deleteMany(owner(false))
        await events().insertMany(logged)
        await restore(before)
        expect(await faultsHere()).to.deep.equal([])
      })

    it('reports a wrong ledger at night', async () => {
      await change({ number: 5 }, { $inc: { 'after.balance': 9_000 } })()
      const recorded = recordLog('error')
      await night(recorded.log)
      const [line, ...others] = recorded.lines()
      expect(line).to.include({ msg: 'ledger.tampered', businessId: merchant.businessId, mode: 'live' })
      expect(others).to.deep.equal([])
      await change({ number: 5 }, { $inc: { 'after.balance': -9_000 } })()
    })
  })

  const seals = () => rawCollection(service.deps.AuditSeal)
  /** Changes made after a night and another payment, and what the next payout finds. */
  const laterTamperings: Record<string, [tamper: () => Promise<unknown>, fault: RegExp]> = {
    'the sealed entry was changed': [
      change({ number: 5 }, { $inc: { 'after.balance': 9_000 } }),
      /^Error: Entry 5 is not the one that seal 1 contains/,
    ],
    'the sealed entry and all later ones were removed': [
      () => entries().deleteMany({ ...owner(false), number: { $gte: 3 } }),
      /^Error: Entry 5 is not the one that seal 1 contains/,
    ],
    'the seal was changed to cover a different entry': [
      () => seals().updateOne({ _id: 1 }, { $set: { 'heads.$[].number': 3, 'heads.$[].digest': 'x' } }),
      /^Error: Seal 1 of the audit trail was changed/,
    ],
    'the entries after the seal were removed': [
      () => entries().deleteMany({ ...owner(false), number: { $gt: 5 } }),
      /^Error: There is no entry for the payment PI-/,
    ],
    'a payout after the seal was removed': [
      async () => {
        await payLive(40)
        await entries().deleteOne({ ...owner(false), amount: -40 })
      },
      /^Error: There is no entry for the payout /,
    ],
    'a balance after the seal was changed': [
      change({ number: 7 }, { $inc: { 'after.balance': 9_000 } }),
      /^Error: Entry 7 does not follow .*\(balance 43000 instead of 34000\)/,
    ],
    'a sealed payment was booked again': [
      async () => forge({ ...(((await chain())[0] ?? {}) as LedgerDraft), _id: newId() }),
      /^Error: Entry 8 books the payment PI-\w+ without its event/,
    ],
  }
  describe('after a night has sealed part of the ledger', () => {
    const shared = withService()
    let whole: LedgerEntry[]
    let standing: StoredSeal[]
    before(async () => {
      await setUp(shared)
      await night()
      service.clock.advance(60_000)
      await receiveLive(service, live, 5_000, 100)
      whole = await chain()
      standing = await seals().find().toArray()
    })
    for (const [what, [tamper, fault]] of Object.entries(laterTamperings))
      it(`finds that ${what}, although it reads only what follows the seal`, async () => {
        await tamper()
        expect(await payLive(1).catch(String)).to.match(fault)
        expect(await faultsHere()).to.have.length.at.least(1)
        await seals().deleteMany({})
        await seals().insertMany(standing)
        await service.deps.AuditEvent.deleteMany({ 'after.amount': 40 })
        await restore(whole)
        await payLive(1)
        expect(await faultsHere()).to.deep.equal([])
        await service.deps.AuditEvent.deleteMany({ 'after.amount': 1 })
        await restore(whole)
      })
  })

  describe('in a running service', () => {
    const own = withServicePerTest()
    beforeEach(() => setUp(own))

    it('confirms payments, fees, refunds and payouts, before and after they are sealed', async () => {
      expect(await verify()).to.deep.equal({ ledgers: 2, faults: [] })
      const recorded = recordLog()
      for (let day = 0; day < 3; day += 1) {
        await night(recorded.log)
        await payTest(10_000)
        await receiveLive(service, live, 5_000, 100)
        nextDay()
        await payTest(10_000)
        await refundTest(1_000)
        await payOutTest(50)
        await payLive(50)
        expect(await verify()).to.deep.equal({ ledgers: 2, faults: [] })
      }
      expect(recorded.lines().filter(({ level }) => level === 50)).to.deep.equal([])
      expect((await seals().find().toArray()).flatMap(({ heads = [] }) => heads)).to.have.length(6)
    })

    it("reports a ledger that it can't read, and still checks the others", async () => {
      // MongoDB refuses the query for this entry's intents.
      await change({ number: 1 }, [{ $set: { referenceNumber: { $literal: { $gt: '' } } } }])()
      const recorded = recordLog('error')
      await night(recorded.log)
      const [line, ...rest] = recorded.lines()
      expect(rest).to.deep.equal([])
      expect(line).to.include({ msg: 'ledger.not-verified', businessId: merchant.businessId, mode: 'live' })
      const sealed = await seals().find().toArray()
      const heads = sealed.flatMap(({ heads: each = [] }) => each.map(({ chain: name }) => name))
      expect(heads).to.deep.equal([`${merchant.businessId} test`])
      expect((await findLatestCheck(service.deps))?.faultCount).to.equal(0)
      expect((await verify()).faults).to.deep.equal([line?.fault])
      await change({ number: 1 }, { $set: { referenceNumber: paid } })()
    })

    it('stops midway when the process ends, without reporting an error', async () => {
      const ending = new AbortController()
      const recorded = recordLog('error')
      const now = () => {
        ending.abort()
        return service.deps.now()
      }
      await checkAuditTrail({ ...service.deps, now, log: recorded.log }, ending.signal)
      expect([recorded.lines(), await seals().countDocuments()]).to.deep.equal([[], 0])
    })

    it('reports no error if MongoDB goes down', async () => {
      for (const step of [1, 4, 8]) {
        const victim = await openVictim(service, { step, fate: 'lost', lateMs: 0 })
        const recorded = recordLog('warn')
        await night(recorded.log, victim.deps)
        closeInBackground(victim.close())
        const lines = recorded.lines().map(({ level, msg }) => [level, msg])
        expect(lines, victim.steps.join()).to.deep.equal([[40, 'audit.not-checked']])
      }
      expect(await seals().countDocuments()).to.equal(0)
    })

    it('finds a change to a sealed entry when run from the command line', async () => {
      await night()
      await change({ number: 1 }, { $inc: { amount: 5 } })()
      await payLive(1)
      expect((await verify()).faults).to.deep.equal([
        'Entry 1 does not follow from the one before it in after (balance 10000 instead of 10005).',
      ])
      await change({ number: 1 }, { $inc: { amount: -5 } })()
    })

    it('raises no false alarm after sandbox clean-ups', async () => {
      const { deps } = service
      const cleanUp = () => runCleanUp(deps, new AbortController().signal, unwatched)
      const old = last
      nextDay(25)
      await payTest(3_000)
      last = old
      await refundTest(1_000)
      for (const days of [6, 0, 20, 40]) {
        nextDay(days)
        await cleanUp()
        expect(await faultsHere(), `after ${days} days`).to.deep.equal([])
        await payOutTest(1)
        await payTest(1_000)
        await night()
      }
      expect(await faultsHere()).to.deep.equal([])
      expect(await deps.LedgerEntry.countDocuments({ ...owner(true), type: 'refund' })).to.equal(0)
    })

    it('raises no false alarm about a test payment settled weeks after its intent was created', async () => {
      const { deps } = service
      const { referenceNumber } = await createIntent(service, merchant, { amount: 1_000 })
      const createdAt = new Date(service.clock.now().getTime() - 32 * dayMs)
      await rawCollection(deps.Intent).updateOne({ referenceNumber }, { $set: { createdAt } })
      expect((await simulate(service, merchant, referenceNumber)).status).to.equal(200)
      await relay(service, merchant)
      for (const days of [2, 32]) {
        nextDay(days)
        await runCleanUp(deps, new AbortController().signal, unwatched)
        expect(await faultsHere(), `after ${days} days`).to.deep.equal([])
        expect(await deps.Intent.countDocuments({ referenceNumber })).to.equal(days === 2 ? 1 : 0)
      }
    })

    it('raises no false alarm after SECRET_KEY is rotated', async () => {
      const { deps } = service
      await night()
      await receiveLive(service, live, 5_000, 100)
      const [current, old] = [randomBytes(32), Buffer.from(secretKey, 'base64')]
      const verifyWith = async (...keys: [Buffer, ...Buffer[]]) => {
        const rotated = { ...deps, secrets: createEncrypter(keys) }
        return (await verifyLedgers(rotated, (batch) => batch())).faults.map(({ fault }) => fault)
      }
      expect(await verifyWith(current, old)).to.deep.equal([])
      await reencryptField({ secrets: createEncrypter([current, old]) }, deps.ServiceKey, 'key')
      expect(await verifyWith(current)).to.deep.equal([])
      expect(await verifyWith(old)).to.deep.equal(
        Array(2).fill('Seal 1 of the audit trail was changed, or SECRET_KEY is wrong.'),
      )
    })
  })
})
