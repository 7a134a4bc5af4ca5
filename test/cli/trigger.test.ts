import { expect } from 'chai'
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
})
