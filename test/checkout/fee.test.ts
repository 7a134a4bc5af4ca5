import type { DatedRates } from '../../src/businesses/business.ts'
import { readIntent } from '../support/actions.ts'
import { type Merchant, withService } from '../support/service.ts'
import { fill, offerOf, open, pay, type Seen, wallets } from './customer.ts'

describe("The payer's fee on the payment page", () => {
  const service = withService({ COMMISSION_PAYER_BPS: '150' })
  const offer = async (fields: object = {}) => {
    const merchant = await service.merchant()
    return { merchant, ...(await offerOf(service, merchant, fields)) }
  }
  const changeRate = ({ businessId }: Merchant, payer: number) => {
    const rates: DatedRates = { from: service.deps.now(), provider: 100, payer }
    return service.deps.Business.updateOne({ _id: businessId }, { $push: { commission: rates } })
  }
  const orders = async ({ businessId }: Merchant) => {
    const accountId = { $regex: `^${businessId}-` }
    const movements = await service.deps.WalletMovement.find({ accountId, kind: 'payment' }).lean()
    return movements.map(({ amount, fee }) => ({ amount, fee }))
  }
  const titleOf = ({ html }: Seen) => /<title>(.*)<\/title>/.exec(html)?.[1]?.replaceAll('\u00a0', ' ')
  const price = (amount: string, fee: string, total: string) =>
    `Amount ${amount} MRU Fee ${fee} MRU Total ${total} MRU`

  it('is shown with the amount and total before the customer enters the PIN, and again on the receipt', async () => {
    const { merchant, referenceNumber, path } = await offer()
    const form = await open(service, path)
    expect(form.says).to.include(price('500.00', '7.50', '507.50'))
    expect(form.says).to.match(/PIN.* Pay 507\.50 MRU/)
    expect(titleOf(form)).to.equal('Pay 507.50 MRU')
    expect((await pay(form, wallets.pays)).says).to.include(price('500.00', '7.50', '507.50'))
    const { payment } = await readIntent(service, merchant, referenceNumber)
    expect(payment).to.deep.include({ amountPaid: 50_000 })
  })

  it('is not shown if it is zero', async () => {
    const { merchant, path } = await offer()
    await changeRate(merchant, 0)
    const form = await open(service, path)
    expect(titleOf(form)).to.equal('Pay 500.00 MRU')
    for (const page of [form, await open(service, `${path}/qr`), await pay(form, wallets.pays)])
      expect(page.says).not.to.match(/Fee|Total/)
  })

  it('depends on the amount that the customer chooses for an OPEN intent', async () => {
    const { path } = await offer({ amountType: 'OPEN' })
    const chosen = await fill(await open(service, path), { amount: '2000' })
    expect(chosen.says).to.include(price('2,000.00', '30.00', '2,030.00'))
    expect(chosen.says).to.match(/That is 2,030\.00 in new ouguiya \( ?20,300\.00 in old ouguiya\)/)
    const forged = await fill(chosen, { ...wallets.pays, amount: '3000.00' })
    expect(forged.status).to.equal(422)
    expect(forged.says).to.include(price('3,000.00', '45.00', '3,045.00'))
    expect(forged.says).to.include('The total has changed.')
  })

  it('never exceeds what the customer has seen: after a rate change, the page shows the new total first', async () => {
    const { merchant, referenceNumber, path } = await offer()
    const outdated = await open(service, path)
    await changeRate(merchant, 200)
    const again = await fill(outdated, wallets.pays)
    expect(again.status).to.equal(422)
    expect(again.says).to.include('The total has changed. You have not been charged.')
    expect(again.says).to.include(price('500.00', '10.00', '510.00'))
    expect(titleOf(again)).to.equal('Error: Pay 510.00 MRU')
    expect(again.html).to.include(`value="${wallets.pays.phone}"`).and.not.include(`"${wallets.pays.pin}"`)
    expect((await readIntent(service, merchant, referenceNumber)).status).to.equal('PENDING')
    expect(await orders(merchant)).to.deep.equal([])
    const paid = await pay(again, wallets.pays)
    expect(paid.says).to.include('Payment successful')
    expect(paid.says).to.include(price('500.00', '10.00', '510.00'))
    const stored = await service.deps.Intent.findOne({ referenceNumber }).lean()
    expect(stored?.payment).to.deep.include({ amountPaid: 50_000 })
    expect(stored?.payment?.commission).to.include({ payerTtc: 1000 })
    expect(await orders(merchant)).to.deep.equal([{ amount: 50_000, fee: 1000 }])
  })
})
