import type { AddressInfo } from 'node:net'
import supertest from 'supertest'
import { createApp } from '../../src/app.ts'
import { httpTimeouts } from '../../src/http/server/timeouts.ts'
import { withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { crlf, sendRaw } from './raw-request.ts'
import { expectRefused } from './refused.ts'
import { openProbes, openServer } from './short-timeouts.ts'

describe('The health check', () => {
  const service = withService()

  it('returns ok on /healthz without credentials', async () => {
    const { status, body, headers } = await service.http.get('/healthz')
    expect([status, body]).to.deep.equal([200, { status: 'ok' }])
    expect(headers['content-type']).to.equal('application/json; charset=utf-8')
    expect(headers['x-request-id']).to.match(/^[\da-f-]{36}$/)
  })

  it('returns ok on /readyz if MongoDB and Redis are up', async () => {
    const body = await waitFor('Redis', async () => {
      const ready = await service.http.get('/readyz').expect(200)
      return ready.body.redis === 'up' && ready.body
    })
    expect(body).to.deep.equal({ status: 'ok', mongodb: 'up', redis: 'up' })
  })

  it('returns 503 on /readyz during shutdown, while other requests still succeed', async () => {
    const stopping = new AbortController()
    stopping.abort()
    const app = createApp({ ...service.deps, stopping })
    const { origin, close } = await openServer(service, httpTimeouts, app)
    const http = supertest(origin)
    const ready = await http.get('/readyz').set('Connection', 'keep-alive')
    expect([ready.status, ready.body.status]).to.deep.equal([503, 'unavailable'])
    expect(Number(ready.headers['retry-after'])).to.be.greaterThan(0)
    expect((await http.get('/healthz')).status).to.equal(200)
    const { write } = await service.merchant()
    const headers = { ...write(), Connection: 'keep-alive' }
    const created = await http.post('/api/v1/dev/intents').set(headers).send({ amount: 5 }).expect(201)
    expect(created.headers.connection).to.equal('close')
    await close()
  })

  it('returns 404 ENDPOINT_NOT_FOUND with an Allow header for a POST', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics'])
      await expectRefused(service.http.post(path).expect('Allow', 'GET, HEAD'), 404, 'ENDPOINT_NOT_FOUND')
  })

  it('returns 404 for any other spelling of its paths', async () => {
    for (const path of ['/METRICS', '/metrics/', '/Healthz', '/healthz/', '/readyz/'])
      expect((await service.http.get(path)).status, path).to.equal(404)
  })

  it("rejects invalid requests on a worker's port just as on the web port", async () => {
    const { server, stop } = await openProbes(service.deps)
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const wires = [
      crlf('GET /healthz HTTP/1.1', '', ''),
      crlf('GET /healthz HTTP/1.1', 'Host: a', 'Connection: close', ...Array(99).fill('X: 1'), '', ''),
      crlf('GET /api/v1/dev/intents HTTP/1.1', 'Host: a', 'Connection: close', '', ''),
      crlf('GET /healthz HTTP/1.1', 'Host: a', 'Connection: close', '', ''),
    ]
    const responses = await Promise.all(wires.map((wire) => sendRaw(origin, wire)))
    expect(responses.flat().map(({ status }) => status)).to.deep.equal([400, 431, 404, 200])
    await stop(0)
  })
})
