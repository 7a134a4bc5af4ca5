import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Server } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { languages, verdictsOf } from '../docs/languages.ts'
import { cancelIntent, createIntent, relay } from '../support/actions.ts'
import { certificate } from '../support/certificate.ts'
import { withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { listen as listenOn } from '../support/listen.ts'
import { pay } from '../support/pay.ts'
import { startProcess } from '../support/processes.ts'
import { withMerchantPerTest, withService } from '../support/service.ts'
import { keyOf, withCli } from './start-cli.ts'

const secret = '84432cccd985fa567be32c6c93fa77de6c367a92a95fc52bcd275bc97f7745c3'

describe('The listen command', () => {
  const service = withService()
  const [merchant, server, cli] = [withMerchantPerTest(service), withEndpointServerPerTest(), withCli()]

  const listen = (words: string[], origin = service.origin) =>
    cli.start(['listen', ...words], { ...keyOf(merchant, origin), WEBHOOK_SECRET: secret })

  const feed = async () =>
    (await service.http.get('/api/v1/dev/events/feed').set(merchant.read())).body.data.items

  /** Once this resolves, the event is in the log. */
  async function newIntent(): Promise<string> {
    const { referenceNumber } = await createIntent(service, merchant)
    await relay(service, merchant)
    return referenceNumber
  }

  it('forwards each event in order, signed like a webhook', async () => {
    const listening = listen(['--forward', server.url])
    await listening.ready()
    const references = [await newIntent(), await newIntent()]
    await cancelIntent(service, merchant, references[0] ?? '')
    await relay(service, merchant)
    const received = await server.atLeast(3)
    const logged = await feed()
    const bodies = received.map(({ body }) => JSON.parse(body))
    expect(bodies.map((body, index) => ({ ...body, id: logged[index].id }))).to.deep.equal(
      logged.map(({ body }: { body: object }) => body),
    )
    // As in webhooks.md.
    const ownIds = bodies.map(({ id }) => Buffer.from(id.slice(0, 16), 'base64url').toString('hex'))
    expect(ownIds).to.deep.equal(logged.map(({ id }: { id: string }) => id))
    const [first] = received
    expect(first?.headers).to.include({
      'content-type': 'application/json',
      'x-service-event': 'payment.created',
      'x-service-event-id': logged[0].id,
      'webhook-id': bodies[0].id,
    })
    const now = Date.now() / 1000
    const headersOf = (index: number) => received[index]?.headers as Record<string, string>
    const requests = received.map(({ body }, index) => ({ secret, now, body, headers: headersOf(index) }))
    const ids = logged.map(({ id }: { id: string }) => id)
    for (const language of languages.filter(({ name }) => name !== 'PHP'))
      expect(await verdictsOf(language, requests), language.name).to.deep.equal(ids)
    const standard = new Webhook(Buffer.from(secret, 'hex').toString('base64'))
    for (const [index, { body }] of received.entries())
      expect(() => standard.verify(body, headersOf(index))).to.not.throw()
    listening.kill('SIGINT')
    expect(await listening.ended).to.deep.equal({ code: 0, signal: null })
    const [one, two] = references
    expect((await listening.lines()).map((line) => line.replace(/\d+ ms/, '5 ms').slice(9))).to.deep.equal([
      `payment.created ${one} → 200 (5 ms)`,
      `payment.created ${two} → 200 (5 ms)`,
      `payment.cancelled ${one} → 200 (5 ms)`,
    ])
    expect(listening.output.stderr).to.include(secret)
    expect(listening.output.stdout + listening.output.stderr).to.not.include(merchant.key)
  })

  it('escapes control characters in event data, because they could take over the terminal', async () => {
    const metadata = { note: 'a\u009b31mb' }
    const intent = { amount: 100, metadata }
    await service.http.post('/api/v1/dev/intents').set(merchant.write()).send(intent).expect(201)
    await relay(service, merchant)
    const [line = ''] = await listen(['--replay-last', '1', '--json']).lines(1)
    expect(line).to.not.match(/\p{Cc}/u)
    expect(JSON.parse(line).data.metadata).to.deep.equal(metadata)
  })

  it('starts with the most recent events, oldest first, and shows each one once', async () => {
    const references: string[] = []
    for (let count = 0; count < 3; count += 1) {
      const referenceNumber = await newIntent()
      await pay(service, referenceNumber)
      await relay(service, merchant)
      references.push(referenceNumber)
    }
    await newIntent()
    const listening = listen('--events payment.confirmed,payment.cancelled --replay-last 2 --json'.split(' '))
    await listening.seen(references[2] ?? '')
    await cancelIntent(service, merchant, await newIntent())
    await relay(service, merchant)
    const shown = (await listening.lines(3)).map((line) => JSON.parse(line))
    const events = shown.map(({ event }) => event)
    expect(events).to.deep.equal(['payment.confirmed', 'payment.confirmed', 'payment.cancelled'])
    expect(shown.slice(0, 2).map(({ data }) => data.reference_number)).to.deep.equal(references.slice(1))
  })

  it('misses no event while the service restarts', async () => {
    const web = await startProcess('web', service)
    const listening = listen([], web.origin)
    await listening.ready()
    await newIntent()
    await listening.seen('payment.created')
    web.kill('SIGKILL')
    await web.exited
    await newIntent()
    await listening.seen('cannot be reached')
    await newIntent()
    const restarted = await startProcess('web', service, { PORT: new URL(web.origin).port })
    try {
      await listening.seen('The connection works again')
      const references = (await feed()).map((item: { referenceNumber: string }) => item.referenceNumber)
      await listening.seen(references[2])
      expect((await listening.lines()).map((line) => line.split(' ')[2])).to.deep.equal(references)
      expect(listening.output.stderr.match(/cannot be reached/g)).to.have.length(1)
    } finally {
      await restarted.stop()
    }
  })

  it('ignores interim (1xx) responses', async () => {
    server.respondWith((res) => {
      for (let count = 0; count < 3; count += 1) res.writeContinue()
      res.writeEarlyHints({ link: '</a>' }, () => res.writeHead(202).end())
    })
    const listening = listen(['--forward', server.url])
    await listening.ready()
    await newIntent()
    await listening.seen('→ 202')
    const own = { 'user-agent': 'Service-Webhooks (listen)', accept: '*/*' }
    expect(server.received[0]?.headers).to.include(own)
  })

  it('explains why the local server refused an event, then continues with the next one', async () => {
    server.respondWith(
      (res, count) => void res.writeHead(count === 1 ? 500 : 200).end('no \u001b[31mdatabase'),
    )
    const listening = listen(['--forward', server.url, '--header-brand', 'Acme'])
    await listening.ready()
    await newIntent()
    await listening.seen('It responded: no \\u001b[31mdatabase')
    expect(server.received[0]?.headers).to.include({ 'x-acme-event': 'payment.created' })
    await newIntent()
    await listening.seen('→ 200')
    await server.close()
    await newIntent()
    await listening.seen('→ failed')
    await listening.seen(`No server is listening at ${server.url}`)
    expect((await listening.lines())[0]).to.include('→ 500')
  })

  /** `fetch` refuses these ports. */
  async function listenOnBlockedPort(respond: Server): Promise<Awaited<ReturnType<typeof listenOn>>> {
    for (const port of [6000, 5060, 6667, 10080]) {
      const listening = await listenOn(respond, port).catch(() => null)
      if (listening !== null) return listening
    }
    throw new Error('Another program uses all four ports.')
  }

  it('reaches ports that browsers block, and sends your own headers', async () => {
    const received: IncomingHttpHeaders[] = []
    const blocked = await listenOnBlockedPort(
      createServer((req, res) => {
        received.push(req.headers)
        req.resume().on('end', () => res.end())
      }),
    )
    try {
      const headers = ['--header', 'X-Api-Key: k: 7 ', '--header', 'authorization:Basic eA==']
      const listening = listen(['--forward', `${blocked.origin}/hooks`, ...headers])
      await listening.ready()
      await newIntent()
      await listening.seen('→ 200')
      expect(received[0]).to.include({ 'x-api-key': 'k: 7', authorization: 'Basic eA==' })
      expect(received[0]).to.include.keys('x-service-signature', 'webhook-id')
    } finally {
      await blocked.close()
    }
  })

  it('accepts a self-signed certificate only with --insecure, which the error names', async () => {
    const key = readFileSync(certificate)
    const secure = createSecureServer(
      { key, cert: key },
      (req, res) => void req.resume().on('end', () => res.end()),
    )
    const { port, close } = await listenOn(secure)
    try {
      const url = `https://127.0.0.1:${port}/hooks`
      const strict = listen(['--forward', url])
      await strict.ready()
      await newIntent()
      await strict.seen(`The certificate of ${url} is not trusted`)
      expect(strict.output.stderr).to.include('restart with --insecure')
      await listen(['--forward', url, '--insecure', '--replay-last', '1']).seen('→ 200')
    } finally {
      secure.closeAllConnections()
      await close()
    }
  })

  it('refuses wrong options at start, without repeating a password', async () => {
    const forward = ['--forward', 'http://localhost:4000']
    const cases: [string[], string][] = [
      [['--forward', 'http://me:pass-7@localhost:4000'], 'must not contain a user name or password'],
      [['--forward', 'https://shop.example/', '--insecure'], '--insecure works only'],
      [[...forward, '--insecure'], '--insecure works only'],
      [['--header', 'X-A: pass-7'], 'need --forward'],
      [[...forward, '--header', 'Host: pass-7'], '"Host" is reserved for the service'],
      [[...forward, '--header', 'x-service-event: pass-7'], 'is reserved for the service'],
      [
        [...forward, '--header-brand', 'Acme', '--header', 'X-Acme-Id: pass-7'],
        'is reserved for the service',
      ],
      [[...forward, '--header', 'X Y: pass-7'], 'is not a valid header name'],
      [[...forward, '--header', 'X-A'], "--header must be 'Name: value'"],
      [[...forward, '--header', 'X-A: é'], "isn't visible ASCII"],
      [[...forward, '--header', `X-A: ${'x'.repeat(1025)}`], 'is too long'],
      [[...forward, '--header', 'X-A: 1', '--header', 'x-a: 2'], 'each name only once'],
      [[...forward, '--amount', '5'], '--amount is an option of trigger'],
    ]
    for (const [words, fault] of cases) {
      const { ended, output } = listen(words)
      expect((await ended).code, words.join(' ')).to.equal(1)
      expect(output.stderr).to.include(fault).and.not.include('pass-7')
    }
  })
})
