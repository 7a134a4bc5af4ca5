import { findChainEnd } from '../../src/chains/append.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { buildEntryDrafts } from '../../src/ledger/book.ts'
import { linkLedgerEntry } from '../../src/ledger/entry.ts'
import { getLedgerBalance } from '../../src/ledger/statement.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import { bookPayoutOnce, type Payout } from '../../src/payouts/pay-out.ts'
import { newId } from '../../src/platform/ids.ts'
import { toUtcDay } from '../../src/platform/time.ts'
import { relayOutboxes } from '../../src/relay/relay.ts'
import { verifyLedgers } from '../../src/verification/verify-ledger.ts'
import { withAdmin } from '../admin/admin.ts'
import { operator, readable, signedIn } from '../admin/staff.ts'
import { relay } from '../support/actions.ts'
import { closeInBackground } from '../support/closing.ts'
import type { Operation } from '../support/kill-at-every-step.ts'
import { killAtEveryStep, landDuringRetry, waitForDeath } from '../support/kill-at-every-step.ts'
import { payLive, receiveLive } from '../support/ledger.ts'
import { type Service, withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'
import { openVictim } from '../support/victim.ts'
import { waitFor } from '../support/wait-for.ts'

describe('A payout', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const cli = withAdmin(service)
  const owner = () => ({ businessId: merchant.businessId, sandbox: false })
  const receive = async (amount: number) =>
    receiveLive(service, await withAnotherKey(service, merchant, { mode: 'live' }), amount)
  const send = (changes: Partial<Payout>) =>
    bookPayoutOnce(service.deps, { ...owner(), amount: 100, reference: 'TR-1', ...changes }, operator)
  const entries = async () => {
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    const { body } = await service.http.get('/api/v1/dev/balance/entries?type=payout').set(live.read())
    return body.data.items as Record<string, unknown>[]
  }

  it('is booked once per reference on the command line', async () => {
    const { businessId } = merchant
    await receive(1_000)
    const command = (amount: string, ...more: string[]) =>
      cli.here(...`business payout ${businessId} --amount ${amount} --reference TR-7`.split(' '), ...more)
    const first = await command('400', '--json')
    expect(first.exitCode, first.stderr).to.equal(0)
    const { id, bookedAt, ...rest } = JSON.parse(first.stdout)
    const payout = { mode: 'live', amount: 400, reference: 'TR-7' }
    expect(rest).to.deep.equal({ ...payout, alreadyBooked: false, balance: 600 })
    await receive(5)
    const second = JSON.parse((await command('400', '--json')).stdout)
    expect(second).to.deep.equal({ id, ...payout, bookedAt, alreadyBooked: true, balance: 605 })
    const repeated = await command('400')
    expect(repeated.stdout).to.match(new RegExp(`^already booked at ${bookedAt}\n[^]*balance\\W+605\n$`))
    const other = await command('401')
    expect([other.exitCode, other.stdout]).to.deep.equal([1, ''])
    expect(other.stderr).to.match(
      /^The payout TR-7 was already booked at .* with an amount of 400 centimes\. Use another reference\.\n$/,
    )
    const inSandbox = await command('1', '--mode', 'test')
    const tooLittle = 'The balance is 0 centimes, which is less than the payout.\n'
    expect([inSandbox.exitCode, inSandbox.stderr]).to.deep.equal([1, tooLittle])
    const [booked, ...others] = await entries()
    expect(booked).to.include({ id, amount: -400, balance: 600, payoutReference: 'TR-7' })
    expect(others).to.deep.equal([])
    const viewer = await signedIn(service, 'viewer')
    const page = readable((await viewer.get(`/admin/businesses/${businessId}`)).text)
    expect(page).to.include('6.05 MRU').and.to.include('4.00 MRU, reference TR-7')
  })

  it("can't overdraw the balance, however many payouts are booked at once", async () => {
    await receive(1_000)
    const attempts = Array.from({ length: 20 }, (_, n) => send({ amount: 300, reference: `TR-${n}` }))
    const results = await Promise.allSettled([...attempts, receive(1), receive(1)])
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(3 + 2)
    const refused = results.find((result) => result.status === 'rejected')
    expect(String(refused?.reason)).to.match(/The balance is \d{3} centimes, which is less than the payout/)
    expect((await entries()).map(({ amount }) => amount)).to.deep.equal([-300, -300, -300])
  })

  it('is booked once, with one audit line, even if its process is killed at any step', async () => {
    type Case = Pick<Payout, 'businessId'>
    const book = ({ deps }: Pick<Service, 'deps'>, { businessId }: Case) =>
      bookPayoutOnce(deps, { businessId, sandbox: false, amount: 400, reference: 'TR-1' }, operator)
    const paying: Operation<Case> = {
      async prepare() {
        const live = await service.merchant({ mode: 'live' })
        await receiveLive(service, live, 500)
        return live
      },
      run: book,
      async repeat(each) {
        expect((await book(service, each)).entry.amount).to.equal(-400)
      },
      async check({ businessId }, label) {
        expect(await getLedgerBalance(service.deps, { businessId, sandbox: false }), label).to.equal(100)
        const payouts = await service.deps.LedgerEntry.find({ businessId, type: 'payout' }).lean()
        const lines = await service.deps.AuditEvent.find({ businessId, act: 'business.paid-out' }).lean()
        const ids = payouts.map(({ _id }) => _id)
        expect(ids, label).to.have.lengthOf(1)
        expect(
          lines.map(({ subject }) => subject),
          label,
        ).to.deep.equal(ids)
      },
    }
    const steps = await killAtEveryStep(service, paying, 0)
    await landDuringRetry(service, paying, steps.lastIndexOf('mongodb insert') + 1)
    expect((await verifyLedgers(service.deps, (batch) => batch(), true)).faults).to.deep.equal([])
  })

  it("doesn't wait for another ledger's open transaction", async () => {
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    await receive(500)
    const other = await service.merchant({ mode: 'live' })
    const balances = () =>
      Promise.all(
        [live, other].map(({ businessId }) => getLedgerBalance(service.deps, { businessId, sandbox: false })),
      )
    const paid = [await payLive(service, live, 70, 0), await payLive(service, other, 90, 0)]
    const intents = await service.deps.Intent.find({ referenceNumber: { $in: paid } }, { _id: 1 }).lean()
    const book = () => relayOutboxes(service.deps, { intentIds: intents.map(({ _id }) => _id), orderIds: [] })
    const chain = rawCollection(service.deps.LedgerEntry)
    const now = service.deps.now()
    const draft = { _id: newId(), type: 'payout', amount: -400, day: toUtcDay(now) } as const
    const session = service.deps.transactions.client.startSession()
    session.startTransaction()
    await chain.insertMany(linkLedgerEntry(owner(), await findChainEnd(chain, owner()), draft, now), {
      session,
    })
    const booking = book()
    booking.catch(() => undefined)
    await waitFor("the other business's entry", async () => (await balances())[1] === 90)
    await send({ businessId: other.businessId, amount: 90 })
    expect(session.inTransaction() && (await balances())).to.deep.equal([500, 0])
    const paying = send({ amount: 300 })
    await session.abortTransaction()
    await session.endSession()
    await Promise.all([paying, booking.catch(book)])
    expect(await balances()).to.deep.equal([270, 0])
  })

  it('takes into account a fee that a killed process has not booked yet', async () => {
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    // A process books 500 entries at once: one payment without a fee, 249 with fees, and the last one without its fee.
    await Promise.all(
      Array.from({ length: 251 }, (_, index) => payLive(service, live, 1_000, index === 0 ? 0 : 20)),
    )
    const intents = await service.deps.Intent.find({ businessId: merchant.businessId }).lean<Intent[]>()
    const free = intents.filter(({ payment }) => payment?.commission.providerTtc === 0)
    const ordered = [...free, ...intents.filter((each) => !free.includes(each))]
    const drafts = ordered.flatMap((each) => each.outbox.flatMap((event) => buildEntryDrafts(each, event)))
    const victim = await openVictim(service, { step: 4, fate: 'lost', lateMs: 0 })
    const booking = victim.deps.batchers.bookEntries(owner(), drafts, noDeadline)
    closeInBackground(booking.catch(() => undefined))
    await waitForDeath(victim, booking, { step: 4, label: 'killed between a payment and its fee' })
    closeInBackground(victim.close())
    const booked = 1_000 + 249 * 980 + 1_000
    expect(await getLedgerBalance(service.deps, owner())).to.equal(booked)
    expect(await send({ amount: booked }).catch(String)).to.include(`The balance is ${booked - 20} centimes`)
    await send({ amount: booked - 20 })
    await relay(service, live)
    expect(await getLedgerBalance(service.deps, owner())).to.equal(0)
    expect((await send({ amount: booked - 20 })).alreadyBooked).to.equal(true)
  })
})
