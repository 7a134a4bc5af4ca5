import { crlf, sendRaw } from '../api/raw-request.ts'
import { recordLog } from '../support/recorded-log.ts'
import { withService } from '../support/service.ts'
import { withStaff } from './staff.ts'

describe('A staff request that is rejected before it reaches a page', () => {
  const recorded = recordLog('info')
  const service = withService({}, recorded.log)
  const support = withStaff(service, 'support')

  for (const path of ['/admin/dead', '/p/ABCDEF', '/'])
    it(`gets an error page with all security headers if it has two Host headers: ${path}`, async () => {
      const [page] = await sendRaw(service.origin, crlf(`GET ${path} HTTP/1.1`, 'Host: a', 'Host: b', '', ''))
      expect(page?.status).to.equal(400)
      const headers = Object.fromEntries(page?.headers ?? [])
      expect(headers['content-security-policy']).to.include("default-src 'none'")
      expect(headers)
        .to.include({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
        .and.include({ 'x-content-type-options': 'nosniff' })
    })

  for (const [path, type] of [
    ['/admin/orders/OR-1', 'text/html; charset=utf-8'],
    ['/p/ABCDEF', 'text/html; charset=utf-8'],
    ['/healthz', 'application/json; charset=utf-8'],
    ['/api/v1/openapi.json', 'application/json; charset=utf-8'],
  ] as const)
    it(`does not reveal which methods are allowed if it is an OPTIONS request: ${path}`, async () => {
      const headers = { Cookie: support.cookie }
      const response = await fetch(service.origin + path, { method: 'OPTIONS', headers })
      expect(response.status).to.equal(404)
      expect(response.headers.get('content-type')).to.equal(type)
      expect(response.headers.get('allow')).to.equal(null)
    })

  it('gets 415 from Bull Board, without a logged error, if its body is unreadable', async () => {
    const coded = { 'Content-Encoding': 'lzma', 'Content-Type': 'application/json' }
    const headers = { Cookie: support.cookie, ...coded, 'Content-Length': '2', Connection: 'close' }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const request = crlf('GET /admin/queues/api/queues HTTP/1.1', 'Host: a', ...lines, '', '{}')
    const [response] = await sendRaw(service.origin, request)
    expect(response?.status).to.equal(415)
    expect(JSON.parse(response?.body ?? '')).to.deep.equal({ error: 'This request body is not valid' })
    expect(recorded.text).to.not.include('request.failed')
  })
})
