import type { Response } from 'express'
import type { Caller } from '../../src/businesses/caller.ts'
import { downloadFor, readFor, writeFor } from '../../src/http/operations/run-for.ts'
import { sendResponse, successResponse } from '../../src/http/responses/envelope.ts'
import { createBareApp } from '../../src/http/server/bare-app.ts'
import { createHttpServer } from '../../src/http/server/listen.ts'
import { httpTimeouts } from '../../src/http/server/timeouts.ts'
import { refuse } from '../../src/platform/errors.ts'
import { tillDayRead } from '../../src/till/day.ts'
import { signedIn } from '../admin/staff.ts'
import { createIntent } from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { listen } from '../support/listen.ts'
import { intents, withServiceAndMerchant } from '../support/service.ts'
import { withOpened } from '../support/with.ts'

interface IntentView {
  referenceNumber: string
  amount: number
  createdAt: string
}

describe('An operation that a page runs', () => {
  const { service, merchant } = withServiceAndMerchant()
  let handle: (res: Response) => Promise<unknown>
  const page = withOpened(
    async () => {
      const app = createBareApp(service.deps, (bare) => {
        bare.get('/', async (_req, res) => {
          const data = await handle(res)
          if (data !== undefined) sendResponse(res, successResponse(200, data))
        })
      })
      return listen(createHttpServer(service.deps, app, httpTimeouts).server)
    },
    (server) => server.close(),
  )

  /** Runs `work` while a page is being built. */
  async function onPage<T>(
    work: (res: Response, caller: Caller) => Promise<T>,
    changes: Partial<Caller> = {},
  ) {
    const caller = { ...callerOf(merchant), keyId: 'person.business', ...changes }
    handle = (res) => work(res, caller)
    const response = await fetch(page.origin)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return {
      response,
      text,
      ...(isJson &&
        (JSON.parse(text) as { data?: T; error?: { code: string; param?: string; details?: object } })),
    }
  }
  const read = (params: Parameters<typeof readFor>[4], id: Parameters<typeof readFor>[3], changes = {}) =>
    onPage((res, caller) => readFor<object>(service.deps, res, caller, id, params), changes)
  const write = (
    id: Parameters<typeof writeFor>[3],
    input: Parameters<typeof writeFor>[4],
    changes: Partial<Caller> = {},
  ) => onPage((res, caller) => writeFor<IntentView>(service.deps, res, caller, id, input), changes)
  const fromApi = async (path: string) => (await service.http.get(path).set(merchant.read())).body.data

  it('returns the same data as the API', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    const one = await read({ params: { referenceNumber } }, 'getIntent')
    expect(one.data).to.deep.equal({ status: 200, data: await fromApi(`${intents}/${referenceNumber}`) })
    await createIntent(service, merchant)
    const some = await read({ query: { limit: '1' } }, 'listIntents')
    expect(some.data).to.deep.equal({ status: 200, data: await fromApi(`${intents}?limit=1`) })
    expect(service.deps.capacity.held('memory', merchant.businessId)).to.equal(0)
  })

  it('creates one intent for each key, even if it runs twice at once', async () => {
    const body = { amount: 1500, label: 'Thé' }
    const both = await Promise.all([1, 2].map(() => write('createIntent', { body, key: 'form-1' })))
    const again = await write('createIntent', { body: { amount: 9 }, key: 'form-1' })
    const [first, second] = both.map(({ data }) => data)
    expect(first).to.deep.equal(second).and.to.deep.equal(again.data)
    expect(first?.status).to.equal(201)
    const other = await write('createIntent', { body, key: 'form-2' })
    expect(other.data?.data.referenceNumber).not.to.equal(first?.data.referenceNumber)
    const ofKey = await service.http.post(intents).set(merchant.write('form-1')).send(body)
    expect(ofKey.body.data.referenceNumber).not.to.equal(first?.data.referenceNumber)
  })

  it('reads what only pages show, under the same checks', async () => {
    const body = { amount: 700 }
    const person = { id: 'p7', name: 'awa@example.com', expectValid: async () => undefined }
    const made = await write('createIntent', { body, key: 'till-1' }, { person })
    const { referenceNumber } = made.data?.data ?? {}
    const open = await read({ query: { of: 'unpaid' } }, tillDayRead)
    expect(open.data?.data).to.deep.include({ total: 1, sums: [] })
    expect(open.data?.data).to.have.nested.include({
      'items[0].referenceNumber': referenceNumber,
      'items[0].type': 'TILL',
      'items[0].personId': 'p7',
    })
    const wrong = await read({ query: { of: 'all' } }, tillDayRead)
    expect([wrong.response.status, wrong.error?.param]).to.deep.equal([400, 'of'])
    const unscoped = await read({}, tillDayRead, { scopes: new Set() })
    expect(unscoped.error?.code).to.equal('SCOPE_REQUIRED')
    const staff = await signedIn(service, 'viewer')
    const { text } = await staff.get(`/admin/payments/${referenceNumber}`)
    expect(text).to.contain('by the merchant, as person <bdi>p7</bdi>, at the till')
  })

  it('refunds once if a form is sent twice at once and again later', async () => {
    const { referenceNumber } = await createIntent(service, merchant, { amount: 1_000 })
    const params = { referenceNumber }
    await write('simulatePayment', { params, key: 'pay' })
    const refund = () => write('refundIntent', { params, body: { amount: 400 }, key: 'refund' })
    const results = [...(await Promise.all([refund(), refund()])), await refund()]
    for (const { data } of results)
      expect(data).to.have.nested.include({ status: 200, 'data.totalAmountRefunded': 400 })
    const more = await write('refundIntent', { params, body: { amount: 601 }, key: 'more' })
    expect(more.error).to.deep.include({ code: 'AMOUNT_OUT_OF_RANGE', param: 'amount' })
  })

  it('throws the errors of the API, and repeats a final one', async () => {
    const input = { body: { amount: 100, label: 'x'.repeat(201) }, key: 'long' }
    for (const each of [input, { ...input, body: { amount: 100 } }]) {
      const { response, error } = await write('createIntent', each)
      expect([response.status, error?.code, error?.param]).to.deep.equal([400, 'LABEL_TOO_LONG', 'label'])
    }
    const unknown = await read({ query: { colour: 'red' } }, 'listIntents')
    expect([unknown.error?.code, unknown.error?.param]).to.deep.equal(['VALIDATION_ERROR', 'colour'])
    const missing = await read({ params: { referenceNumber: 'PI-TEST000000000000' } }, 'getIntent')
    expect(missing.error?.code).to.equal('INTENT_NOT_FOUND')
  })

  it('checks the scopes, the environment and the switch of the API', async () => {
    const scopes = new Set(['payments.intents:read'] as const)
    const cancel = { params: { referenceNumber: 'PI-TEST000000000000' }, key: 'c' }
    const unscoped = await write('cancelIntent', cancel, { scopes })
    expect(unscoped.error).to.deep.include({
      code: 'SCOPE_REQUIRED',
      details: { scope: 'payments.intents:write' },
    })
    const live = await write('simulatePayment', cancel, { sandbox: false })
    expect(live.error?.code).to.equal('SANDBOX_ONLY')
    const { isOn } = service.deps.apiSwitch
    service.deps.apiSwitch.isOn = () => false
    const off = await read({}, 'listIntents')
    service.deps.apiSwitch.isOn = isOn
    expect(off.error?.code).to.equal('FEATURE_DISABLED')
  })

  it('counts towards the limits of the caller and the business', async () => {
    const limits = { ...callerOf(merchant).limits, perSecond: 1 }
    service.clock.freeze(service.clock.now())
    const codes = []
    for (const _ of [1, 2])
      codes.push((await read({}, 'listIntents', { limits, keyId: 'limited' })).error?.details)
    service.clock.freeze(null)
    expect(codes).to.deep.equal([undefined, { scope: 'key', limit: 1, windowSeconds: 1 }])
    const held = await service.deps.capacity.wait(merchant.businessId, { lists: 2 })
    const full = await read({}, 'listIntents')
    held.free()
    expect(full.error?.details).to.deep.equal({ scope: 'lists', limit: 2 })
  })

  it('records who did it, and changes nothing once that session has ended', async () => {
    let isOver = true
    const person = {
      id: 'p1',
      name: 'awa@example.com',
      expectValid: async () => {
        if (isOver) throw refuse('API_ACCESS_NOT_ACTIVE')
      },
    }
    const input = { body: { url: 'https://example.com/', events: ['payment.confirmed'] }, key: 'hook' }
    const create = () => write('createWebhookEndpoint', input, { person })
    expect((await create()).error?.code).to.equal('API_ACCESS_NOT_ACTIVE')
    const { businessId } = merchant
    expect(await service.deps.Endpoint.countDocuments({ businessId })).to.equal(0)
    isOver = false
    expect((await create()).data?.status, 'the same form, after signing in again').to.equal(201)
    const line = await service.deps.AuditEvent.findOne({ act: 'endpoint.created', businessId })
      .orFail()
      .lean()
    const actor = { kind: 'person', name: 'p1', from: '::1' }
    expect(line).to.deep.include({ actor, sandbox: true, reason: null }).and.not.to.have.key('expectValid')
    const staff = await signedIn(service, 'viewer')
    const { text } = await staff.get(`/admin/audit?who=p1&business=${businessId}`)
    expect(text).to.contain('person from ::1').and.not.to.contain('/admin/keys/p1')
  })

  it('sends an export and the CSV form of a list as files', async () => {
    const day = service.clock.now().toISOString().slice(0, 10)
    const file = await onPage((res, caller) =>
      downloadFor(service.deps, res, caller, 'exportPayments', { query: { from: day, to: day } }),
    )
    expect(file.response.headers.get('content-disposition')).to.equal('attachment; filename="payments.csv"')
    const days = await onPage((res, caller) => downloadFor(service.deps, res, caller, 'listStatements'))
    expect(days.response.headers.get('content-disposition')).to.match(/"statements-\d{4}-\d\d\.csv"$/)
    const api = await service.http
      .get('/api/v1/dev/statements')
      .set({ ...merchant.read(), Accept: 'text/csv' })
    expect(days.text).to.equal(api.text)
    const refused = await onPage((res, caller) =>
      downloadFor(service.deps, res, caller, 'exportPayments', { query: { from: 'soon' } }),
    )
    expect([refused.response.status, refused.error?.param]).to.deep.equal([400, 'from'])
  })
})
