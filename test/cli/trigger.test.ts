import { relay } from '../support/actions.ts'
import { withMerchantPerTest, withService } from '../support/service.ts'
import { keyOf, withCli } from './start-cli.ts'

const caused: Record<string, string[]> = {
  'payment.created': ['payment.created'],
  'payment.confirmed': ['payment.created', 'payment.confirmed'],
  'payment.failed': ['payment.created', 'payment.failed'],
  'payment.refunded': ['payment.created', 'payment.confirmed', 'payment.refunded'],
  'payment.cancelled': ['payment.created', 'payment.cancelled'],
  'order.new': ['order.new'],
}

describe('The trigger command', () => {
  const service = withService()
  const [merchant, cli] = [withMerchantPerTest(service), withCli()]

  for (const [event, events] of Object.entries(caused))
    it(`causes ${event}`, async () => {
      const triggered = cli.start(['trigger', event], keyOf(merchant, service.origin))
      expect(await triggered.ended, triggered.output.stderr).to.deep.equal({ code: 0, signal: null })
      await relay(service, merchant)
      const logged = await service.deps.LoggedEvent.find({ businessId: merchant.businessId })
        .sort({ number: 1 })
        .lean()
      expect(logged.map((one) => one.event)).to.deep.equal(events)
      expect(triggered.output.stdout).to.match(/^(PI-\w+ was created|Order OR-\w+ was placed)/)
    })

  it("lists the events it can cause if the given one isn't among them", async () => {
    const [unknown, expired] = [cli.start(['trigger', 'payment']), cli.start(['trigger', 'payment.expired'])]
    for (const { ended, output } of [unknown, expired]) {
      expect((await ended).code).to.equal(1)
      for (const event of Object.keys(caused)) expect(output.stderr).to.include(`\n  ${event}`)
    }
    expect(unknown.output.stderr).to.include('There is no event "payment".')
    expect(expired.output.stderr).to.include('payment.expired cannot be triggered')
  })

  it('uses the given data in place of its own', async () => {
    const words =
      'trigger payment.refunded --amount 7500 --label Tea --reference T-7 --metadata a=b=c --metadata d= ' +
      '--phone 22000045 --refund-amount 2500 --reason broken'
    const triggered = cli.start(words.split(' '), keyOf(merchant, service.origin))
    expect((await triggered.ended).code, triggered.output.stderr).to.equal(0)
    const intents = await service.http.get('/api/v1/dev/intents').set(merchant.read()).expect(200)
    const [intent] = intents.body.data.items
    const metadata = { a: 'b=c', d: '' }
    expect(intent).to.deep.include({ amount: 7500, label: 'Tea', merchantReference: 'T-7', metadata })
    expect(intent.refunds[0]).to.include({ amount: 2500, reason: 'broken' })
    const failed = cli.start(
      'trigger payment.failed --amount 400'.split(' '),
      keyOf(merchant, service.origin),
    )
    expect((await failed.ended).code, failed.output.stderr).to.equal(0)
  })

  it('refuses an option that the event has not, and a wrong value, before it creates anything', async () => {
    const cases = [
      ['payment.cancelled --phone 22000045', 'no option --phone. Its options: --amount, --label'],
      ['order.new --amount 5', 'order.new has no option --amount. Its options: none.'],
      ['payment.created --metadata a', '--metadata must be KEY=VALUE, not "a".'],
      ['payment.refunded --refund-amount 1.5', '--refund-amount must be a whole number of centimes.'],
    ] as const
    for (const [words, fault] of cases) {
      const { ended, output } = cli.start(['trigger', ...words.split(' ')], keyOf(merchant, service.origin))
      expect((await ended).code, words).to.equal(1)
      expect(output.stderr).to.include(fault)
    }
    expect(await service.deps.Intent.countDocuments({ businessId: merchant.businessId })).to.equal(0)
  })
})
