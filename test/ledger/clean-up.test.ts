import type { LedgerDraft } from '../../src/ledger/entry.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { newId } from '../../src/platform/ids.ts'
import { dryRunCleanUp, runCleanUp } from '../../src/retention/clean-up.ts'
import { startCounts } from '../../src/retention/cleaning.ts'
import { fixtureReference } from '../invariants/expect-invariants.ts'
import { createIntent, relay } from '../support/actions.ts'
import { refund, simulate } from '../support/pay.ts'
import { withAnotherKey, withServiceAndMerchant } from '../support/service.ts'

const dayMs = 86_400_000
const unwatched = { count: () => undefined, done: () => undefined }

describe("The ledger's clean-up", () => {
  const { service, merchant } = withServiceAndMerchant()
  const book = (sandbox: boolean, type: LedgerDraft['type'], amount: number): Promise<void> => {
    const day = service.clock.now().toISOString().slice(0, 10)
    const draft = { _id: newId(), type, amount, day, referenceNumber: fixtureReference }
    const owner = { businessId: merchant.businessId, sandbox }
    return service.deps.batchers.bookEntries(owner, [draft], noDeadline)
  }

  it('removes old test entries, but keeps statements and balances', async () => {
    const { deps, clock } = service
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    const get = async (path: string, reader = merchant) => {
      return (await service.http.get(`/api/v1/dev/${path}`).set(reader.read())).body.data
    }
    for (const hour of ['01T10', '01T11', '03T12', '20T12']) {
      clock.freeze(new Date(`2027-03-${hour}:00:00Z`))
      for (const sandbox of [true, false]) {
        await book(sandbox, 'payment', 1_000)
        await book(sandbox, 'fee', -20)
      }
    }
    clock.freeze(new Date(Date.parse('2027-03-03T12:00:00Z') + 30 * dayMs + 1))
    const statements = await get('statements?month=2027-03')
    const readAll = async () => [
      await get('balance'),
      await get('balance/entries?limit=2'),
      await get('balance/entries', live),
    ]
    const kept = await readAll()
    const { counts, watch } = startCounts(unwatched)
    const { signal } = new AbortController()
    await dryRunCleanUp(deps, signal, watch)
    expect(counts.entries).to.equal(6)
    const begun = startCounts(unwatched)
    expect(await runCleanUp(deps, signal, begun.watch)).to.equal('cleaned')
    expect(begun.counts.entries).to.equal(6)
    expect(await get('statements?month=2027-03')).to.deep.equal(statements)
    expect(await readAll()).to.deep.equal([kept[0], { ...kept[1], total: 2, hasMore: false }, kept[2]])
    expect((await get('balance/entries?to=2027-03-10')).total).to.equal(0)
    expect(await get('balance/entries?type=payment')).to.include({ total: 1, hasMore: false })
    clock.advance(100 * dayMs)
    await runCleanUp(deps, signal, unwatched)
    expect(await get('balance')).to.include({ amount: 3_920 })
    expect(await get('balance/entries')).to.include({ total: 0 })
    await book(true, 'payment', 80)
    expect(await get('balance/entries')).to.include({ total: 1, hasMore: false })
    expect((await get('statements?month=2027-03')).items).to.deep.equal(statements.items)
  })

  it("keeps the entries of an event that hasn't been relayed, so that the event is never booked twice", async () => {
    const { deps, clock } = service
    const { referenceNumber } = await createIntent(service, merchant, { amount: 10_000 })
    await simulate(service, merchant, referenceNumber)
    await refund(service, merchant, referenceNumber, 4_000)
    const balance = async () => (await service.http.get('/api/v1/dev/balance').set(merchant.read())).body.data
    const before = await balance()
    clock.advance(40 * dayMs)
    await runCleanUp(deps, new AbortController().signal, unwatched)
    await relay(service, merchant)
    expect(await balance()).to.include({ amount: before.amount })
  })
})
