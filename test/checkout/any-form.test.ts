import * as fc from 'fast-check'
import { rounds } from '../support/machine.ts'
import { recordLog } from '../support/recorded-log.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { debits, fill, offerOf, open, pay, seen, wallets } from './customer.ts'

describe('The payment page, given arbitrary input,', () => {
  const recorded = recordLog()
  const { service, merchant } = withServiceAndMerchant({}, recorded.log)
  const offer = (fields: object = {}) => offerOf(service, merchant, fields)
  const form = 'application/x-www-form-urlencoded'
  const post = (path: string, body: string | Buffer, more: Record<string, string> = {}) => {
    const headers = { 'Content-Type': form, 'Accept-Language': 'en', ...more }
    return seen(service.origin + path, { method: 'POST', body, headers })
  }
  const bodies: Record<string, [body: string | Buffer, headers?: Record<string, string>]> = {
    nothing: [''],
    'fields of other types': ['form[]=1&form[a]=2&phone[__proto__]=x&pin[]=1&__proto__=x&constructor=y'],
    'every field twice': ['form=1&form=2&phone=1&phone=2&pin=1&pin=2&amount=1&amount=2'],
    'all the fields that fit': ['a&'.repeat(4095)],
    'NULs and lone surrogates': ['form=%00&phone=%00%ED%A0%80&pin=%ED%BF%BF%00&amount=%00'],
    'broken escapes': ['form=%&phone=%zz&pin=%E0%A4%A'],
    'bytes that are not valid UTF-8': [Buffer.from([0xff, 0xfe, 0x26, 0x3d, 0x00, 0xc3])],
    JSON: ['{"form":{"$ne":null},"pin":1234}', { 'Content-Type': 'application/json' }],
    'a multipart form': ['--x\r\n\r\n--x--', { 'Content-Type': 'multipart/form-data; boundary=x' }],
    'a form without a content type': ['form=1', { 'Content-Type': '' }],
  }
  for (const [what, [body, headers]] of Object.entries(bodies))
    it(`returns 422 and an error page for an invalid body: ${what}`, async () => {
      for (const fields of [{}, { amountType: 'OPEN' }]) {
        const page = await post((await offer(fields)).path, body, headers)
        expect(page.status).to.equal(422)
        expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8')
        expect(page.says).to.match(/There is a problem|Payment not made/)
      }
    })

  it('says that the customer has not been charged if the body is too long or in an unknown encoding', async () => {
    const { path } = await offer()
    for (const [status, title, body, headers] of [
      [413, 'Form too long', 'a&'.repeat(10_000), {}],
      [415, 'Invalid request', 'phone=1', { 'Content-Encoding': 'gzip' }],
    ] as const) {
      const page = await post(path, body, headers)
      expect([page.status, page.says.includes(title)], title).to.deep.equal([status, true])
      expect(page.says).to.include('You have not been charged.')
      expect(page.html).to.include(`href="${path}?lang&#61;en"`)
    }
  })

  it('returns an HTML page and takes no money, whatever the form and path', async () => {
    const { path } = await offer({ amountType: 'OPEN' })
    const token =
      /name="form" value="([^"]+)"/.exec((await open(service, `${path}?amount=5`)).html)?.[1] ?? ''
    const any = fc.string({ unit: 'binary', maxLength: 80 }).map((raw) => raw.toWellFormed())
    const anyForm = fc.oneof(any, fc.constant(token))
    const fields = fc.record({ form: anyForm, phone: any, pin: any, amount: any, lang: any })
    await fc.assert(
      fc.asyncProperty(fields, any, async (sent, segment) => {
        const name = encodeURIComponent(segment)
        const responses = await Promise.all([
          post(path, new URLSearchParams(sent).toString()),
          open(service, `${path}?amount=${name}&lang=${name}&sent=${name}`),
          open(service, `/p/${name}`),
          open(service, `/pay/${name}`),
        ])
        for (const { status, headers } of responses) {
          // A short code surrounded by other characters redirects to the code alone.
          if (status === 303) {
            expect(headers.get('location')).to.match(/^\/p\/[0-9A-Z]{6}$/)
            continue
          }
          expect(status).to.be.oneOf([200, 400, 404, 422])
          expect(headers.get('content-type')).to.equal('text/html; charset=utf-8')
        }
      }),
      {
        numRuns: rounds(15, 5),
        examples: [[{ form: token, phone: '', pin: '', amount: '', lang: '' }, '\u00002P2222']],
      },
    )
    expect(await debits(service, merchant)).to.equal(0)
  })

  it("logs each request with the route's pattern but nothing that the customer typed", async () => {
    const { path, shortCode } = await offer()
    const first = await open(service, `${path}?lang=en`)
    const refused = await fill(first, { phone: '22000003', pin: '1234' })
    const wrong = await fill(refused, { phone: '22987654', pin: '975310' })
    const paid = await pay(wrong, wallets.pays)
    const status = await open(service, `${path}/status`)
    const lines = await waitFor('its lines', () => {
      const seenLines = recorded
        .lines()
        .filter(({ msg, route }) => msg === 'http.request' && String(route).includes('/p/:shortCode'))
      return seenLines.length >= 6 && seenLines
    })
    const lineOf = (page: { headers: Headers }) =>
      lines.find(({ requestId }) => requestId === page.headers.get('x-request-id'))
    expect(lineOf(first)).to.include({ method: 'GET', route: 'GET /p/:shortCode', status: 200 })
    expect(lineOf(wrong)).to.include({ method: 'POST', route: 'POST /p/:shortCode', status: 422 })
    expect(lineOf(paid)).to.include({ route: 'GET /p/:shortCode', status: 200 })
    expect(lineOf(status)).to.include({ route: 'GET /p/:shortCode/status', status: 200 })
    for (const secret of [shortCode, '22000001', '22000003', '22987654', '975310', '"1234"', 'sent='])
      expect(recorded.text, secret).not.to.include(secret)
  })
})
