import { maskUrl, maskUrlParts } from '../../src/webhooks/endpoints/endpoint-facts.ts'
import { reportFailures } from '../../src/webhooks/endpoints/report-failures.ts'
import { attempt, freshDelivery, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { recordLog } from '../support/recorded-log.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { openAdmin } from './admin.ts'
import { signedIn } from './staff.ts'

describe("A webhook endpoint's URL", () => {
  const { service, merchant } = withServiceAndMerchant()
  const endpointServer = withEndpointServer()
  const secrets = ['T0SECRETPATH', 'B1SECOND', 'QUERYSECRET']
  const shown = () =>
    new RegExp(`^http://${new URL(endpointServer.url).host.replace('.', '\\.')}/T0S…[\\w-]{8}$`)

  it("is shown in full only by its merchant's API, never on pages or in logs, commands, audit lines, jobs or events", async () => {
    const recorded = recordLog()
    service.deps.log = recorded.log
    const secretPath = '/T0SECRETPATH/B1SECOND?token=QUERYSECRET'
    const url = new URL(endpointServer.url).origin + secretPath
    endpointServer.respondWith((res) => void res.writeHead(404).end(`Cannot POST ${secretPath}`))
    const { id } = await subscribe(service, merchant, url, ['payment.created'])
    const delivery = await freshDelivery(service, merchant)
    await attempt(service.deps, delivery._id)
    await attempt(service.deps, delivery._id)
    const send = (body: object) =>
      service.http.put(`/api/v1/dev/webhooks/endpoints/${id}`).set(merchant.write()).send(body).expect(200)
    await send({ url: `${url}2` })
    const $set = { url, 'health.failingSince': new Date(0), 'health.failuresInRow': 9 }
    await service.deps.Endpoint.updateOne({ _id: id }, { $set })
    expect(await reportFailures(service.deps)).to.be.at.least(1)
    const staff = await signedIn(service, 'admin')
    const paths = ['', '/dead', '/audit', '/businesses', `/businesses/${merchant.businessId}`]
    paths.push(`/endpoints/${id}`, `/endpoints/${id}/replay`)
    const about = [`/deliveries/${delivery._id}`, `/payments/${delivery.referenceNumber}`]
    const texts: Record<string, string> = {}
    for (const path of [...paths, ...about, '/audit/export']) {
      const { status, text } = await staff.get(`/admin${path}`)
      expect(status, path).to.be.oneOf([200, 404])
      texts[path] = text
    }
    const cli = openAdmin(service)
    const commands = [
      ['endpoint', 'show', id],
      ['endpoint', 'list', '--business', merchant.businessId],
      ['business', 'show', merchant.businessId],
      ['audit', 'export', '--format', 'jsonl'],
      ['audit', 'export', '--format', 'csv'],
    ]
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await cli.here(...command)
      expect(exitCode, stderr).to.equal(0)
      texts[command.join(' ')] = stdout
    }
    texts.log = recorded.text
    texts.trail = JSON.stringify(await service.deps.AuditEvent.find().lean())
    texts.outbox = JSON.stringify((await service.deps.Endpoint.findById(id).lean())?.outbox)
    expect(texts.outbox).to.include('endpoint.failing')
    for (const [where, text] of Object.entries(texts))
      for (const secret of secrets) expect(text.includes(secret), `${secret} in ${where}`).to.equal(false)
    expect(texts[`/endpoints/${id}`]).to.include('/T0S…')
    expect(texts[`/deliveries/${delivery._id}`]).to.include('Cannot POST …')
    const changes = await service.deps.AuditEvent.find({ subject: id, act: 'endpoint.changed' }).lean()
    const [{ before, after } = { before: null, after: null }] = changes
    for (const each of [before, after]) expect(String(each?.url)).to.match(shown())
    expect(before?.url, 'a change is proved').to.not.equal(after?.url)
    for (const path of ['', `/events/${delivery._id}`]) {
      const { text } = await service.http.get(`/api/v1/dev/webhooks${path}`).set(merchant.read()).expect(200)
      expect(text, path).to.include(url)
    }
  })

  const shownAs: [url: string, start: string][] = [
    ['https://hooks.example/', 'https://hooks.example/…'],
    ['https://hooks.example/?key=secret', 'https://hooks.example/…'],
    ['https://hooks.example/abc', 'https://hooks.example/abc…'],
    ['https://hooks.example:8443/services/T000', 'https://hooks.example:8443/ser…'],
    ['https://hooks.example:443/services', 'https://hooks.example/ser…'],
    ['https://user:password@hooks.example/services', 'https://hooks.example/ser…'],
    ['https://hooks.example/é/secret', 'https://hooks.example/%C3…'],
    ['https://[2001:db8::1]:8443/services', 'https://[2001:db8::1]:8443/ser…'],
    ['no URL', '//…'],
  ]
  for (const [url, start] of shownAs)
    it(`is displayed as ${start} plus a keyed fingerprint if it is ${url}`, () => {
      const text = maskUrl(service.deps, url)
      expect([text.slice(0, -8), text.length]).to.deep.equal([start, start.length + 8])
      expect(maskUrl(service.deps, `${url}x`).slice(-8)).to.not.equal(text.slice(-8))
    })

  it('is redacted from responses in every form that servers echo, unless its path is very short', () => {
    const url = 'https://hooks.example/services/T0SECRETPATH%20x?token=QUERYSECRET1'
    const echoes = [
      'POST /services/T0SECRETPATH%20x?token=QUERYSECRET1',
      'POST /services/T0SECRETPATH x',
      'no route T0SECRETPATH%20x',
      'token=QUERYSECRET1 is wrong',
      'wrong: QUERYSECRET1',
    ]
    for (const echo of echoes) expect(maskUrlParts(echo, url)).to.not.match(/SECRET/)
    expect(maskUrlParts('GET /100% or /a', 'https://hooks.example/100%')).to.equal('GET … or /a')
    expect(maskUrlParts('not found: /wh', 'https://hooks.example/wh')).to.equal('not found: /wh')
  })
})
