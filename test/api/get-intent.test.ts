import { readIntent } from '../support/actions.ts'
import { storedIntent } from '../support/pay.ts'
import { intents, withServiceAndMerchant } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const day = 24 * 3_600_000

describe('GET /dev/intents/{referenceNumber}', () => {
  const { service, merchant } = withServiceAndMerchant({ CODE_LIFETIME_SECONDS: '3600' })
  const create = async (body: object = { amount: 50_000 }) =>
    (await service.http.post(intents).set(merchant.write()).send(body).expect(201)).body.data
  const get = (reference: string) => readIntent(service, merchant, reference)

  it('returns every field of the create response, plus the fields that only a retrieval returns', async () => {
    const made = await create({ amount: 50_000, label: 'Café', metadata: { 'a.b': 'c' } })
    const read = await get(made.referenceNumber)
    const later = { payment: null, refunds: [], totalAmountRefunded: 0, updatedAt: made.createdAt }
    expect(read).to.deep.equal({ ...made, type: 'API', ...later })
  })

  it('hides only the commission and refund reasons from a publishable key', async () => {
    const { referenceNumber } = await create()
    const path = `${intents}/${referenceNumber}`
    await service.http.post(`${path}/simulate-payment`).set(merchant.write()).expect(200)
    const because = { reason: 'suspected fraud' }
    await service.http.post(`${path}/refund`).set(merchant.write()).send(because).expect(200)
    const { key } = await service.key(merchant.businessId, { kind: 'publishable' })
    const { body } = await service.http
      .get(path)
      .set({ Authorization: `Bearer ${key}` })
      .expect(200)
    const intent = await get(referenceNumber)
    const [refund, ...more] = intent.refunds
    expect([refund.reason, more]).to.deep.equal([because.reason, []])
    expect(body.data).to.deep.equal({
      ...intent,
      payment: { ...intent.payment, commission: null },
      refunds: [{ ...refund, reason: null, returnedFees: null }],
    })
  })

  it('returns 404 INTENT_NOT_FOUND for any unknown reference, e.g. a code or a lower-case reference', async () => {
    const { referenceNumber, code, shortCode } = await create()
    const own = [code, shortCode, referenceNumber.toLowerCase(), `${referenceNumber}%20`]
    const others = ['PI-NONE', 'PI-', '0', '$ne', '%7B%22%24ne%22%3A1%7D', '%00', 'x'.repeat(2000), '..%2F']
    for (const reference of [...own, ...others, '[object Object]', 'PI-%F0%9F%92%B0']) {
      const request = service.http.get(`${intents}/${reference}`).set(merchant.read())
      await expectRefused(request, 404, 'INTENT_NOT_FOUND')
    }
  })

  it('returns the payment code while it is valid, and the status CANCELLED from expiresAt on, even without workers', async () => {
    service.clock.freeze(new Date())
    const { referenceNumber, code, codeExpiresAt, codeUrl, expiresAt } = await create()
    expect(await get(referenceNumber)).to.include({ code, codeExpiresAt, codeUrl })
    service.clock.advance(3_600_000 - 1)
    expect(await get(referenceNumber)).to.include({ code, codeUrl, status: 'PENDING' })
    service.clock.advance(1)
    const noCode = { code: null, codeExpiresAt: null, codeUrl: null }
    expect(await get(referenceNumber)).to.include({ ...noCode, status: 'PENDING' })
    service.clock.advance(day - 3_600_000)
    const expired = { status: 'CANCELLED', cancellationReason: 'expired', updatedAt: expiresAt }
    expect(await get(referenceNumber)).to.include({ ...noCode, ...expired })
    expect(await storedIntent(service, referenceNumber)).to.include({ status: 'PENDING' })
    service.clock.freeze(null)
  })
})
