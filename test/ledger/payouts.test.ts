import { expect } from 'chai'
import { type Payout, payOut } from '../../src/ledger/pay-out.ts'
import { noDeadline } from '../../src/mongo/batching/batcher.ts'
import { newId } from '../../src/security/ids.ts'
import { withAdmin } from '../admin/admin.ts'
import { operator, readable, signedIn } from '../admin/staff.ts'
import { fixtureReference } from '../invariants/expect-invariants.ts'
import { withAnotherKey, withMerchantPerTest, withService } from '../support/service.ts'

describe('A payout', function () {
  this.timeout(60_000)
  const service = withService()
  const merchant = withMerchantPerTest(service)
  const cli = withAdmin(service)

  const owner = () => ({ businessId: merchant.businessId, sandbox: false })
  const receive = (amount: number): Promise<void> =>
    service.deps.batchers.bookEntries(
      owner(),
      [{ _id: newId(), type: 'payment', amount, day: '2026-11-26', referenceNumber: fixtureReference }],
      noDeadline,
    )
  const send = (changes: Partial<Payout>) =>
    payOut(service.deps, { ...owner(), amount: 100, reference: 'TR-1', ...changes }, operator)
  const entries = async () => {
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    const { body } = await service.http.get('/api/v1/dev/balance/entries?type=payout').set(live.read())
    return body.data.items as Record<string, unknown>[]
  }

  it('is booked once per reference, on the command line, and staff see it with the balance', async () => {
    await receive(1_000)
    const command = (amount: string, ...more: string[]) =>
      cli.here(
        ...`business payout ${merchant.businessId} --amount ${amount} --reference TR-7 --json`.split(' ').concat(more),
      )
    const first = await command('400')
    expect(first.exitCode, first.stderr).to.equal(0)
    const { id, bookedAt, ...rest } = JSON.parse(first.stdout)
    const payout = { mode: 'live', amount: 400, reference: 'TR-7' }
    expect(rest).to.deep.equal({ ...payout, alreadyBooked: false, balance: 600 })
    await receive(5)
    expect(JSON.parse((await command('400')).stdout)).to.deep.equal({
      id,
      ...payout,
      bookedAt,
      alreadyBooked: true,
      balance: 605,
    })
    const { businessId } = merchant
    const repeated = await cli.here('business', 'payout', businessId, '--amount', '400', '--reference', 'TR-7')
    expect(repeated.stdout).to.match(new RegExp(`^already booked at ${bookedAt}\n[^]*balance\\W+605\n$`))
    const other = await command('401')
    expect([other.exitCode, other.stdout]).to.deep.equal([1, ''])
    expect(other.stderr).to.match(
      /^The payout TR-7 was booked at .* with an amount of 400 centimes\. Use another reference\.\n$/,
    )
    const inSandbox = await command('1', '--mode', 'test')
    expect([inSandbox.exitCode, inSandbox.stderr]).to.deep.equal([
      1,
      'The balance is 0 centimes, which is less than the payout.\n',
    ])
    expect((await entries()).map((each) => [each.id, each.amount, each.balance, each.payoutReference])).to.deep.equal([
      [id, -400, 600, 'TR-7'],
    ])
    const page = readable(
      (await (await signedIn(service, 'viewer')).get(`/admin/businesses/${merchant.businessId}`)).text,
    )
    expect(page).to.include('6.05 MRU').and.to.include('4.00 MRU, reference TR-7')
  })

  it('cannot overdraw the balance, however many are booked at once', async () => {
    await receive(1_000)
    const attempts = Array.from({ length: 20 }, (_, n) => send({ amount: 300, reference: `TR-${n}` }))
    const results = await Promise.allSettled([...attempts, receive(1), receive(1)])
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(3 + 2)
    const refused = results.find((result) => result.status === 'rejected')
    expect(String(refused?.reason)).to.match(/The balance is \d{3} centimes, which is less than the payout/)
    expect((await entries()).map(({ amount }) => amount)).to.deep.equal([-300, -300, -300])
  })

  it('is booked once if the same payout is sent many times at once and uses up the balance', async () => {
    await receive(100)
    const sent = await Promise.all(Array.from({ length: 10 }, () => send({})))
    expect(new Set(sent.map(({ entry }) => entry._id)).size).to.equal(1)
    expect(sent.filter(({ alreadyBooked }) => !alreadyBooked)).to.have.lengthOf(1)
    expect(await entries()).to.have.lengthOf(1)
    const lines = { businessId: merchant.businessId, act: 'business.paid-out' } as const
    expect(await service.deps.AuditEvent.countDocuments(lines)).to.equal(1)
  })
})
