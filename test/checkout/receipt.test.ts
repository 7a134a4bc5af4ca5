import { breaks } from '../invariants/expect-invariants.ts'
import { refund } from '../support/pay.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { offerOf, open, pay, wallets } from './customer.ts'

const day = 24 * 3_600_000

describe('The receipt', () => {
  const { service, merchant } = withServiceAndMerchant({ COMMISSION_PAYER_BPS: '100' })

  it('shows the payment, both references, the masked phone number and a print button', async () => {
    const { path, referenceNumber } = await offerOf(service, merchant, {
      label: 'Thé',
      merchantReference: '<1042>',
    })
    const paid = await pay(await open(service, path), wallets.pays)
    expect(paid.says).to.match(
      new RegExp(
        `Payment successful Merchant Épicerie Date .* For Thé Amount 500.00 MRU Fee 5.00 MRU Total 505.00 MRU Paid from 22 \\*\\* \\*\\* 01 Reference ${referenceNumber}`,
      ),
    )
    expect(paid.html).to.include('<bdi>&#60;1042&#62;</bdi>').and.include('hidden data-print>')
    expect(paid.html).not.to.include(wallets.pays.phone)
  })

  it('shows what was refunded, including the returned portion of the fee', async () => {
    const { path, referenceNumber } = await offerOf(service, merchant)
    await pay(await open(service, path), wallets.pays)
    for (const [amount, refunded] of [
      [20_000, 'Payment partly refunded .* Refunded 202.00 MRU'],
      [30_000, 'Payment refunded .* Refunded 505.00 MRU'],
    ] as const) {
      await refund(service, merchant, referenceNumber, amount)
      expect((await open(service, path)).says).to.match(new RegExp(refunded))
    }
  })

  it('has no print button before the payment, or for a customer who was not charged', async () => {
    const { path } = await offerOf(service, merchant)
    const [form, own] = [await open(service, path), await open(service, path)]
    await pay(form, wallets.pays)
    const late = await pay(own, wallets.pays)
    expect(late.says).to.include('You were not charged for this attempt.').and.not.include('22 *')
    for (const { html } of [form, late]) expect(html).not.to.include('data-print')
  })

  it('is available for 90 days after the payment, and then its link is treated as unknown', async () => {
    const [{ path, shortCode, referenceNumber }, unpaid] = [
      await offerOf(service, merchant),
      await offerOf(service, merchant),
    ]
    await pay(await open(service, path), wallets.pays)
    breaks(service, 'events once', referenceNumber)
    const paidAgo = (ms: number) =>
      service.deps.Intent.updateOne(
        { shortCode },
        { $set: { 'payment.paidAt': new Date(service.clock.now().getTime() - ms) } },
      )
    await paidAgo(90 * day - 60_000)
    expect((await open(service, path)).says).to.include('Payment successful')
    await paidAgo(90 * day)
    const unknown = (await open(service, '/p/222222')).html
    for (const below of ['', '/qr', '/qr.png', '/status']) {
      const page = await open(service, path + below)
      expect([page.status, page.html]).to.deep.equal([404, unknown])
    }
    service.clock.advance(91 * day)
    expect((await open(service, unpaid.path)).says).to.include('Time is up')
  })
})
