import { createIntent } from '../support/actions.ts'
import { intents, withServiceAndMerchant } from '../support/service.ts'
import { operations } from './operations.ts'
import { expectRefused } from './refused.ts'

describe('An unknown query parameter', () => {
  const { service, merchant } = withServiceAndMerchant()
  const list = (query: string) => service.http.get(`${intents}?${query}`).set(merchant.read())
  const errorOf = async (query: string) => {
    const { status, body } = await list(query)
    expect(status, query).to.equal(400)
    expect(body.error.code).to.equal('VALIDATION_ERROR')
    return body.error as { param: string; message: string; details: { param: string; message: string }[] }
  }

  for (const [method, path] of operations)
    it(`is refused with its name in the error: ${method.toUpperCase()} ${path}`, async () => {
      const { status, body } = await service.http[method](`${path}?form=2026-11-01`).set(merchant.write())
      expect(status, JSON.stringify(body)).to.equal(400)
      expect(body.error).to.include({ code: 'VALIDATION_ERROR', param: 'form' })
      expect(body.error.details).to.have.lengthOf(1)
      expect(body.error.message).to.include('Unknown query parameter "form"')
    })

  it('is reported exactly as it appears in the URL, together with all other invalid parameters', async () => {
    const error = await errorOf(
      'status[$ne]=PAID&page=0&a.b=1&limit=5&__proto__=1&constructor=1&q[]=1&$where=1&sandbox=false&sort=createdAt',
    )
    const named = 'status[$ne] a.b __proto__ constructor q[] $where sandbox sort page'
    expect(error.details.map(({ param }) => param).join(' ')).to.equal(named)
    expect(error.param).to.equal('status[$ne]')
    expect(error.message).to.equal(
      'Unknown query parameter "status[$ne]". This operation accepts status, merchantReference, from, to, paidFrom, paidTo, refundedFrom, refundedTo, minAmount, maxAmount, page, limit.',
    )
  })

  it('is refused even without a value, without a name, in a different case or in a HEAD request', async () => {
    expect(await errorOf('status=PAID&x')).to.include({ param: 'x' })
    expect(await errorOf('=1')).to.include({ param: '' })
    expect(await errorOf('Status=PAID')).to.include({ param: 'Status' })
    expect((await service.http.head(`${intents}?form=1`).set(merchant.read())).status).to.equal(400)
  })

  it('is shortened in the error if it is long, with control characters escaped', async () => {
    expect((await errorOf(`${'é'.repeat(1_000)}=1`)).param).to.equal(`${'é'.repeat(64)}…`)
    const garbled = await errorOf('a%00%1B[31m%0A%E2%80%AEb=1')
    expect(garbled.param).to.equal(String.raw`a\u{0}\u{1b}[31m\u{a}\u{202e}b`)
    expect(garbled.details[0]?.message).to.include(garbled.param)
  })

  it('is reported together with at most 99 other unknown parameters', async () => {
    const error = await errorOf(Array.from({ length: 2_000 }, (_, n) => `p${n}=`).join('&'))
    expect(error.details).to.have.lengthOf(100)
  })

  it('is rejected after the idempotency key check and before the resource is read', async () => {
    const unknown = `${intents}/PI-NONE/cancel?force=true`
    await expectRefused(service.http.post(unknown), 401, 'MISSING_CREDENTIALS')
    await expectRefused(service.http.post(unknown).set(merchant.read()), 400, 'IDEMPOTENCY_KEY_REQUIRED')
    const unreadable = service.http.post(`${intents}?force=true`).set(merchant.write()).type('json')
    await expectRefused(unreadable.send('{'), 400, 'INVALID_JSON')
    await expectRefused(service.http.post(unknown).set(merchant.write()), 400, 'VALIDATION_ERROR')
  })

  it('makes a write fail without effect, and the error is stored under the idempotency key', async () => {
    const { referenceNumber } = await createIntent(service, merchant, { amount: 100 })
    const path = `${intents}/${referenceNumber}/cancel`
    const headers = merchant.write()
    const refused = await service.http.post(`${path}?reason=x`).set(headers)
    await expectRefused(Promise.resolve(refused), 400, 'VALIDATION_ERROR')
    const again = await service.http.post(path).set(headers)
    expect([again.status, again.text]).to.deep.equal([400, refused.text])
    expect(again.headers).to.include({ 'idempotent-replayed': 'true', 'idempotent-params-mismatch': 'true' })
    const { body } = await service.http.get(`${intents}/${referenceNumber}`).set(merchant.read())
    expect(body.data.status).to.equal('PENDING')
  })

  it('is ignored on customer pages', async () => {
    const { shortCode } = await createIntent(service, merchant, { amount: 100 })
    for (const path of [`/p/${shortCode}`, '/', `/p/${shortCode}/status`])
      expect((await service.http.get(`${path}?fbclid=IwAR0&utm_source=sms`)).status, path).to.equal(200)
  })
})
