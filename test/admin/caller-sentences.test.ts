import { commissionOf } from '../../src/wallets/commission.ts'
import { orderDeadline, type WalletOutcome } from '../../src/wallets/wallet.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import * as actions from '../support/actions.ts'
import { deadDelivery, shortRetryDelays } from '../support/dead-deliveries.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { pay, refund, storedIntent } from '../support/pay.ts'
import { type ScriptedWallet, scriptedWallet } from '../support/scripted-wallet.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { readable, withStaff } from './staff.ts'

const unknown: WalletOutcome = { outcome: 'unknown', why: 'timeout' }

describe('The reply suggested for a support call', () => {
  const lifetimes = { INTENT_LIFETIME_SECONDS: '3600', CODE_LIFETIME_SECONDS: '600' }
  const { service, merchant } = withServiceAndMerchantPerTest({ ...shortRetryDelays, ...lifetimes })
  const endpointServer = withEndpointServer()
  let wallet: ScriptedWallet
  const staff = withStaff(service, 'support')
  before(() => void (wallet = scriptedWallet(service)))
  beforeEach(() => service.clock.freeze(service.clock.now()))
  afterEach(() => service.clock.freeze(null))

  const card = async (path: string) => {
    const { text } = await staff.get(path)
    const [, section = ''] = /aria-labelledby="caller">(.*?)<\/section>/s.exec(text) ?? []
    const quotes = (attributes: string) =>
      [...section.matchAll(new RegExp(`<dd ${attributes}><q>(.*?)</q>`, 'gs'))]
        .map(([quote]) => readable(quote).trim())
        .join(' ')
    const arabic = quotes('lang="ar" dir="rtl"')
    expect(arabic, 'text from left to right is isolated').to.not.match(
      /(?<!\u2066[^\u2069]*)(\d[.,]\d|MRU|PI-|payment\.|127\.)/,
    )
    return {
      text: readable(text),
      french: quotes('lang="fr"'),
      arabic: arabic.replaceAll(/[\u2066\u2069]/g, ''),
      words: readable(section),
    }
  }
  const ofPayment = (referenceNumber: string) => card(`/admin/payments/${referenceNumber}`)
  const payWith = async (referenceNumber: string, outcome: WalletOutcome) => {
    service.clock.advance(1000)
    wallet.setOutcome(() => outcome)
    await pay(service, referenceNumber)
  }
  /** How long a wallet may carry out an order made now, including clock skew. */
  const deadlineMs = () => {
    const now = service.clock.now()
    return orderDeadline(service.deps.config, now).getTime() - now.getTime() + 30_000
  }

  it('describes a payment in English, French and Arabic, from the first attempt to the last refund', async () => {
    const { referenceNumber } = await actions.createIntent(service, merchant)
    const expectSaid = async (english: string, french = '', arabic = '') => {
      const said = await ofPayment(referenceNumber)
      expect(said.words).to.include(english)
      expect(said.french).to.include(french)
      expect(said.arabic).to.include(arabic)
    }
    const charged = '505.00 MRU (500.00 MRU and a fee of 5.00 MRU)'
    await expectSaid(
      `No customer has attempted to pay ${charged} yet.`,
      'Vous pouvez payer avec le lien ou le code jusqu’au',
      'يمكنك الدفع بالرابط أو بالرمز حتى',
    )
    await payWith(referenceNumber, { outcome: 'refused', reason: 'wrong_pin' })
    await expectSaid('the phone number or the PIN is wrong')
    await payWith(referenceNumber, { outcome: 'declined', reason: 'insufficient_funds' })
    await expectSaid(
      `Your payment of ${charged} did not go through: your balance is too low. You have not been charged.`,
      'Votre paiement de 505,00 MRU (dont 5,00 MRU de frais) n’a pas abouti: votre solde est insuffisant. Aucun montant n’a été débité.',
      'لم تنجح عملية دفع 505,00 MRU (منها رسوم قدرها 5,00 MRU): رصيدك غير كافٍ. لم يُخصم أي مبلغ. اشحن محفظتك',
    )
    await payWith(referenceNumber, unknown)
    await expectSaid(`Your payment of ${charged} is being processed`)
    service.clock.advance(deadlineMs())
    await expectSaid(`We do not know yet whether your payment of ${charged} was made.`)
    const { hold } = await storedIntent(service, referenceNumber)
    await expectSaid(`call the provider and quote the key ${hold?.id}.`)
    await service.deps.Intent.updateOne({ referenceNumber }, { hold: null })
    await payWith(referenceNumber, { outcome: 'done' })
    await expectSaid(`The customer paid ${charged} on`)
    wallet.setOutcome(() => ({ outcome: 'failed', reason: 'wallet_closed' }))
    await refund(service, merchant, referenceNumber, 10_000)
    await expectSaid('The refund of 101.00 MRU (100.00 MRU and 1.00 MRU of the fee) did not go through.')
    service.clock.advance(1000)
    wallet.setOutcome(() => ({ outcome: 'done' }))
    await refund(service, merchant, referenceNumber, 20_000)
    await refund(service, merchant, referenceNumber, 50)
    await expectSaid(
      `You paid ${charged}, and 202.50 MRU (200.50 MRU and 2.00 MRU of the fee) of it has been refunded`,
      'Sur votre paiement de 505,00 MRU (dont 5,00 MRU de frais), 202,50 MRU (dont 2,00 MRU de frais restitués) ont été remboursés',
      'أُعيد 202,50 MRU (منها رسوم مستردة قدرها 2,00 MRU) إلى المحفظة',
    )
    wallet.setOutcome(() => unknown)
    await refund(service, merchant, referenceNumber, 29_950)
    const rest = '302.50 MRU (299.50 MRU and 3.00 MRU of the fee)'
    await expectSaid(`Your refund of ${rest} is being processed`)
    service.clock.advance(deadlineMs())
    await expectSaid(`whether your refund of ${rest} was made`)
    breaks(service, 'events once', referenceNumber)
    await service.deps.Intent.updateOne({ referenceNumber }, { $set: { 'refunds.2.status': 'SUCCEEDED' } })
    await expectSaid(`Your payment of ${charged} has been refunded in full`)
  })

  it('does not mention a fee that the customer does not pay', async () => {
    const rates = { from: service.deps.now(), provider: 200, payer: 0 }
    await service.deps.Business.updateOne({ _id: merchant.businessId }, { $push: { commission: rates } })
    const { referenceNumber } = await actions.createIntent(service, merchant)
    const words = async () => (await ofPayment(referenceNumber)).words
    expect(await words()).to.include('No customer has attempted to pay 500.00 MRU yet.')
    wallet.setOutcome(() => ({ outcome: 'done' }))
    const commission = commissionOf(50_000, { ...service.deps.config.commissionRates, ...rates })
    await pay(service, referenceNumber, { commission })
    await refund(service, merchant, referenceNumber, 20_000)
    expect(await words()).to.include('You paid 500.00 MRU, and 200.00 MRU of it has been refunded')
  })

  it('explains why a payment can no longer be made', async () => {
    const made = async () => (await actions.createIntent(service, merchant)).referenceNumber
    const [failed, cancelled, left] = [await made(), await made(), await made()]
    await payWith(failed, { outcome: 'failed', reason: 'technical_error' })
    const expectSaid = async (reference: string, words: string) =>
      expect((await ofPayment(reference)).words).to.include(words)
    await expectSaid(failed, 'your wallet had a technical error. You have not been charged.')
    await actions.cancelIntent(service, merchant, cancelled)
    await expectSaid(cancelled, 'The merchant cancelled this payment request.')
    service.clock.advance(600_000)
    await expectSaid(left, 'The payment code is no longer valid')
    await actions.changeAsOperator(service, merchant.businessId, { suspended: true })
    await expectSaid(left, 'This payment is not possible at the moment.')
    service.clock.advance(3_600_000)
    await expectSaid(left, 'This payment request has expired.')
  })

  it("suggests re-queueing an endpoint's dead deliveries only if that is possible", async () => {
    const { id } = await actions.subscribe(service, merchant, endpointServer.url, ['payment.created'])
    const path = `/admin/endpoints/${id}`
    const unused = await card(path)
    expect(unused.french).to.include('nous ne lui avons rien envoyé depuis son enregistrement')
    expect(unused.arabic).to.include('لم نرسل إليه أي شيء منذ تسجيله')
    endpointServer.respondWith((res) => void res.end())
    await actions.attempt(service.deps, (await actions.freshDelivery(service, merchant))._id)
    const healthIs = (filter: object) =>
      waitFor('the health is recorded', () => service.deps.Endpoint.exists({ _id: id, ...filter }))
    await healthIs({ 'health.lastSuccessAt': { $ne: null } })
    expect((await card(path)).french).to.include('fonctionne')
    endpointServer.respondWith((res) => void res.writeHead(500).end())
    const { _id, referenceNumber } = await deadDelivery(service, merchant)
    await healthIs({ 'health.failuresInRow': { $gt: 7 } })
    const failing = await card(path)
    expect(failing.french).to.include('le serveur a répondu avec le statut 500').and.include('rappelez-nous')
    expect(failing.arabic).to.include('رد الخادم برمز الحالة 500').and.include('أصلح المشكلة')
    expect(failing.text).to.include('Re-queue all')
    const pages = [path, `/admin/deliveries/${_id}`, `/admin/payments/${referenceNumber}`, '/admin/dead']
    const { http } = service
    const endpoint = `/api/v1/dev/webhooks/endpoints/${id}`
    await http.put(endpoint).set(merchant.write()).send({ active: false }).expect(200)
    const expectBlocked = async (notice: string) => {
      for (const each of pages) {
        expect((await card(each)).text, each)
          .to.include(notice)
          .and.not.match(/Re-queue(:| all)/)
      }
    }
    await expectBlocked('Endpoint disabled. Once the merchant has enabled it, re-queue the delivery.')
    const dead = await card(`/admin/deliveries/${_id}`)
    expect(dead.french).to.include(`tentatives d’envoi du webhook payment.created pour ${referenceNumber} à`)
    expect(dead.french).to.include('Réactivez-la via l’API')
    expect(dead.arabic).to.include(`إشعار webhook payment.created الخاص بالمرجع ${referenceNumber}`)
    await http.put(endpoint).set(merchant.write()).send({ active: true }).expect(200)
    const { _id: open, referenceNumber: ofOpen } = await actions.freshDelivery(service, merchant)
    await http.delete(endpoint).set(merchant.write()).expect(200)
    await actions.relay(service, merchant)
    await expectBlocked('Endpoint deleted. The deliveries cannot be re-queued.')
    const deleted = await card(path)
    expect(deleted.french).to.include('a été supprimée le')
    expect(deleted.arabic).to.include('حُذف رابط webhook الخاص بك').and.include('بتاريخ')
    await actions.attempt(service.deps, open)
    const cancelled = /Timeline .*: CANCELLED, because the endpoint was deleted or disabled/
    expect((await ofPayment(ofOpen)).text).to.match(cancelled)
  })
})
