import type { ApiScope } from '../../schemas/scopes.ts'
import { attempt, freshDelivery, storedDelivery } from '../support/actions.ts'
import { withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const path = '/api/v1/dev/webhooks/endpoints'
const password = 'Basic c2hvcDpwYXNzd29yZA=='
const headers = { Authorization: password, 'X-Api-Key': 'k 7' }

describe('Custom headers of a webhook endpoint', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const endpointServer = withEndpointServerPerTest()
  beforeEach(() => service.allowHost(endpointServer.host))

  const create = (more: object) => {
    const body = { url: endpointServer.url, events: ['payment.created'], ...more }
    return service.http.post(path).set(merchant.write()).send(body)
  }
  const put = (id: string, change: object, as = merchant) =>
    service.http.put(`${path}/${id}`).set(as.write()).send(change)
  const read = async (id: string) => {
    return (await service.http.get(`${path}/${id}`).set(merchant.read()).expect(200)).body.data
  }
  const test = (id: string) => service.http.post(`${path}/${id}/test`).set(merchant.write()).expect(200)
  const stored = (id: string) => service.deps.Endpoint.findById(id).orFail().lean()
  const lastHeaders = () => endpointServer.received.at(-1)?.headers ?? {}
  const expectSent = (sent: Record<string, string>) => {
    const { authorization, 'x-api-key': apiKey } = lastHeaders()
    const known = { ...(authorization && { authorization }), ...(apiKey && { 'x-api-key': apiKey }) }
    expect(known).to.deep.equal(sent)
  }
  const both = { authorization: password, 'x-api-key': 'k 7' }

  it('are sent by tests, attempts and retries, beside the signature', async () => {
    await test((await create({ headers }).expect(201)).body.data.id)
    expectSent(both)
    const { _id } = await freshDelivery(service, merchant)
    endpointServer.respondWith((res) => void res.writeHead(500).end())
    await attempt(service.deps, _id)
    expectSent(both)
    endpointServer.respondWith((res) => void res.end())
    await service.http.post(`/api/v1/dev/webhooks/events/${_id}/retry`).set(merchant.write()).expect(200)
    await attempt(service.deps, _id)
    expectSent(both)
    expect(lastHeaders()).to.include.keys('x-service-signature', 'webhook-signature')
    expect((await storedDelivery(service, { _id })).status).to.equal('DELIVERED')
    const shown = await service.http.get(`/api/v1/dev/webhooks/events/${_id}`).set(merchant.read())
    expect(shown.body.data.lastAttemptHeaders).to.not.have.any.keys('Authorization', 'X-Api-Key')
  })

  it('are masked in the responses that are stored', async () => {
    await create({ headers: { Authorization: password, 'X-Api-Key': 'q8Zt5' } }).expect(201)
    const { _id } = await freshDelivery(service, merchant)
    endpointServer.respondWith(
      (res) => void res.writeHead(401).end(`no q8Zt5; ${password}; ${password.slice(6)}`),
    )
    await attempt(service.deps, _id)
    const [{ responseText } = {}] = (await storedDelivery(service, { _id })).attemptLog
    expect(responseText).to.equal('no …; …; …')
  })

  it('are stored encrypted, and responses show only their names', async () => {
    const created = await create({ headers }).expect(201)
    const { id } = created.body.data
    const changed = await put(id, { headers }).expect(200)
    const { body } = await service.http.get('/api/v1/dev/webhooks').set(merchant.read())
    for (const shown of [created.body.data, changed.body.data, await read(id), body.data.items[0]])
      expect(shown).to.deep.include({ headerNames: ['Authorization', 'X-Api-Key'] })
    const documents = [await stored(id), await service.deps.AuditEvent.find({ subject: id }).lean()]
    expect(JSON.stringify([documents, created.body, changed.body])).to.not.match(/k 7|c2hvcDpwYXNzd29yZA/)
  })

  it('are replaced as a whole by a change, and removed by null or {}', async () => {
    const { id } = (await create({ headers }).expect(201)).body.data
    await put(id, { events: ['payment.created', 'order.new'] }).expect(200)
    expect((await read(id)).headerNames).to.have.length(2)
    for (const none of [null, {}, []]) {
      await put(id, { headers: { 'x-api-key': 'new' } }).expect(200)
      await test(id)
      expectSent({ 'x-api-key': 'new' })
      const { body } = await put(id, { headers: none }).expect(200)
      expect([body.data.headerNames, (await stored(id)).headers]).to.deep.equal([[], undefined])
      await test(id)
      expectSent({})
    }
  })

  it('are dropped when the URL gets another host, port or scheme, unless the change sets new ones', async () => {
    const { id } = (await create({ url: 'https://shop.example/hook', headers }).expect(201)).body.data
    const namesAfter = async (change: object): Promise<string[]> =>
      (await put(id, change).expect(200)).body.data.headerNames
    expect(await namesAfter({ url: 'https://SHOP.example:443/other' })).to.have.length(2)
    for (const url of ['https://evil.example/hook', 'https://evil.example:8443/hook', endpointServer.url]) {
      expect(await namesAfter({ url }), url).to.deep.equal([])
      expect(await namesAfter({ headers })).to.have.length(2)
    }
    const moved = { url: 'https://shop.example/hook', headers: { 'X-New': 'a' } }
    expect(await namesAfter(moved)).to.deep.equal(['X-New'])
  })

  it('may be changed only with a key that may see the events', async () => {
    const { id } = (await create({ headers }).expect(201)).body.data
    const scopes: ApiScope[] = ['webhooks.endpoints:write']
    const blind = await withAnotherKey(service, merchant, { scopes })
    await expectRefused(put(id, { headers: { 'X-Tenant': 'mine' } }, blind), 403, 'EVENTS_NOT_PERMITTED')
  })

  it('appear in the audit trail by name, with an ending that shows whether a value changed', async () => {
    const { id } = (await create({ headers }).expect(201)).body.data
    await put(id, { headers }).expect(200)
    await put(id, { headers: { ...headers, 'X-Api-Key': 'other' } }).expect(200)
    await put(id, { headers: null }).expect(200)
    const found = await service.deps.AuditEvent.find({ subject: id }).sort({ at: 1, _id: 1 }).lean()
    const lines = found.map(({ before, after }) => [before?.headers, after?.headers])
    const [[none, first], [before, second], [last, removed]] = lines as [unknown[], unknown[], unknown[]]
    expect(lines).to.have.length(3)
    for (const text of [first, second]) expect(text).to.match(/^Authorization, X-Api-Key…[\w-]{8}$/)
    expect([none, before, last, removed]).to.deep.equal([undefined, first, second, null])
    expect(first).to.not.equal(second)
  })

  it('are refused if the service needs the name, naming the header and storing nothing', async () => {
    const reserved =
      'Host content-type Content-Length CONNECTION Transfer-Encoding te Trailer Upgrade Expect Keep-Alive ' +
      'Proxy-Authorization Forwarded X-Forwarded-For User-Agent Accept Accept-Language traceparent ' +
      'TraceState webhook-id Webhook-Signature X-Service-Signature x-service-anything X_Forwarded_For webhook_id'
    const { id } = (await create({}).expect(201)).body.data
    for (const name of [...reserved.split(' '), 'X Y', 'X:', 'é', '', 'a/b', 'x'.repeat(65)]) {
      const refusal = { param: `headers.${name.length > 64 ? `${name.slice(0, 64)}…` : name}` }
      await expectRefused(create({ headers: { [name]: 'a' } }), 400, 'VALIDATION_ERROR', refusal)
      await expectRefused(put(id, { headers: { [name]: 'a' } }), 400, 'VALIDATION_ERROR', refusal)
    }
    expect((await read(id)).headerNames).to.deep.equal([])
    expect(await service.deps.Endpoint.countDocuments({ businessId: merchant.businessId })).to.equal(1)
  })

  it('are refused if a value is not visible ASCII, or if they are too many, too long or not distinct', async () => {
    for (const value of ['', ' a', 'a ', 'a\tb', 'a\r\nX-Evil: 1', 'é', 'a\0', 'x'.repeat(1025), 5, null, {}])
      await expectRefused(create({ headers: { 'X-A': value } }), 400, 'VALIDATION_ERROR', {
        param: 'headers.X-A',
      })
    const many = (count: number, length = 1) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, 'v'.repeat(length)]))
    const distinct = { 'X-A': '1', 'x-a': '2' }
    const odd = { a: { toString: 1 }, b: { toString: 2 } }
    for (const refused of [many(11), { ...many(4, 1020), 'X-4': 'vv' }, distinct, odd, [1], 'x', 5])
      await expectRefused(create({ headers: refused }), 400, 'VALIDATION_ERROR')
    const messages = { 'names that differ': distinct, '4096 characters': { ...many(4, 1020), 'X-4': 'vv' } }
    for (const [message, refused] of Object.entries(messages))
      expect((await create({ headers: refused }).expect(400)).body.error.message)
        .to.match(/^headers /)
        .and.contain(message)
    await create({ headers: { ...many(4, 1020), 'X-4': 'v' } }).expect(201)
    await create({ headers: JSON.parse('{"__proto__": "a", "toString": "b"}') }).expect(201)
  })
})
