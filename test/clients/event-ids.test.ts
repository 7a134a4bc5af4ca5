import { signWebhook, verifyWebhook } from '../../clients/typescript/payments.ts'
import { endpointIdOf } from '../../src/webhooks/deliveries/delivery.ts'
import { type CheckedRequest, languages, librariesOf, verdictsOf } from '../docs/languages.ts'
import { runProgram, skipUnlessHere } from '../docs/program.ts'
import {
  attempt,
  createIntent,
  deliveriesOf,
  post,
  recordRecentSuccess,
  relay,
  subscribe,
} from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { runReplays } from '../support/replays.ts'
import { withServiceAndMerchant } from '../support/service.ts'

interface RefundEvent {
  id: string
  body: { event: string; data: { reference_number: string; refund: { id: string } } }
}

/** Programs that print what `store` returned for each id. */
const storeAll: Record<string, string> = {
  Node: `
import { store } from './inbox.mjs'
const show = (id) => { try { return store(id, 'body') } catch (error) { return error instanceof TypeError } }
console.log([...['a', 'a'].map((each) => show(each.repeat(24))), ...['..', 'a/b', '', undefined].map(show)].join())
`,
  Python: `
from inbox import store
def show(id):
    try:
        return store(id, "body")
    except ValueError:
        return True
print(",".join(str(show(id)).lower() for id in ["a" * 24, "a" * 24, "..", "a/b", "", None]))
`,
  PHP: `<?php
require 'inbox.php';
function show($id) { try { return store($id, 'body'); } catch (InvalidArgumentException | TypeError) { return true; } }
$ids = [str_repeat('a', 24), str_repeat('a', 24), '..', 'a/b', '', null];
echo implode(',', array_map(fn ($id) => show($id) ? 'true' : 'false', $ids));
`,
}

describe('The event id that webhook verification returns', () => {
  const { service, merchant } = withServiceAndMerchant()
  const server = withEndpointServer()
  const requests: CheckedRequest[] = []
  let logged: RefundEvent[] = []
  const expected: string[] = []

  /** Two refunds' events, each received in every way and with various headers. */
  before(async () => {
    const events = ['payment.refunded']
    const endpoints = [await subscribe(service, merchant, server.url, events)]
    endpoints.push(await subscribe(service, merchant, server.url, events))
    const id = endpoints[0]?.id ?? ''
    const { referenceNumber } = await createIntent(service, merchant)
    await post(service, merchant, `/intents/${referenceNumber}/simulate-payment`, '')
    for (const amount of [10, 20]) {
      const path = `/intents/${referenceNumber}/refund`
      expect(await post(service, merchant, path, `{"amount":${amount}}`)).to.include({ status: 200 })
    }
    await relay(service, merchant)
    for (const { _id } of await deliveriesOf(service, merchant)) await attempt(service.deps, _id)
    await recordRecentSuccess(service, id)
    await post(service, merchant, `/webhooks/endpoints/${id}/replay`, '{"from":"2020-01-01"}')
    await runReplays(service.deps)
    const received = await server.atLeast(6)
    const feed = await service.http.get('/api/v1/dev/events/feed?type=payment.refunded').set(merchant.read())
    logged = feed.body.data.items
    const now = Math.floor(service.clock.now().getTime() / 1000)
    const arrived = received.map(({ headers, body }) => {
      const { secret = '' } = endpoints.find((each) => each.id === endpointIdOf(JSON.parse(body).id)) ?? {}
      return { secret, now, body, headers: headers as Record<string, string> }
    })
    const own = { secret: 'ab', now }
    for (const { body } of logged.map((each) => ({ body: JSON.stringify(each.body) })))
      arrived.push({
        ...own,
        body,
        headers: await signWebhook({ ...own, body, timestamp: now, brand: 'Service' }),
      })
    for (const request of arrived) {
      const other = logged.map((each) => ({ 'x-service-event-id': each.id, 'webhook-id': each.id }))
      for (const headers of [{}, { 'x-service-event-id': '..' }, { 'x-service-event-id': '' }, ...other]) {
        requests.push({ ...request, headers: { ...request.headers, ...headers } })
        const { data } = JSON.parse(request.body) as RefundEvent['body']
        expected.push(logged.find(({ body }) => body.data.refund.id === data.refund.id)?.id ?? '')
      }
    }
  })

  it('differs for two refunds of one payment', () => {
    const pairs = logged.map(({ body }) => [body.data.reference_number, body.event].join())
    expect([new Set(pairs).size, new Set(expected).size]).to.deep.equal([1, 2])
    expect(requests.length).to.equal((6 + 2) * 5)
  })

  for (const language of languages)
    it(`is the same in webhooks to two endpoints, in a replay and in the feed (${language.name})`, async function () {
      skipUnlessHere(this, language.name, [language.command, '--version'], 'clients/examples')
      expect(await verdictsOf(language, requests)).to.deep.equal(expected)
    })

  for (const { name, command, extension } of languages.filter((each) => each.name in storeAll))
    it(`is the only id by which the inbox stores events (${name})`, async function () {
      skipUnlessHere(this, name, [command, '--version'], 'clients/examples')
      const files = { ...librariesOf({ extension }), [`run.${extension}`]: storeAll[name] ?? '' }
      const printed = await runProgram([command, `run.${extension}`], { files, environment: {}, input: '' })
      expect(printed.trim()).to.equal('true,false,true,true,true,true')
    })

  it('never leaves a connection to the inbox open (Python)', async function () {
    skipUnlessHere(this, 'Python', ['python3', '--version'], 'clients/examples')
    const program = `
import os, sqlite3
connect, kept = sqlite3.connect, []
sqlite3.connect = lambda name: kept.append(connect(name)) or kept[-1]
from inbox import store
for at in range(300):
    store(f"{at:024x}", "body")
    if at == 0:
        before = len(os.listdir("/dev/fd"))
print(len(os.listdir("/dev/fd")) - before, len(kept))
`
    const files = { ...librariesOf({ extension: 'py' }), 'run.py': program }
    expect(await runProgram(['python3', 'run.py'], { files, environment: {}, input: '' })).to.equal('0 300\n')
  })

  it('is the same in webhooks to two endpoints, in a replay and in the feed (TypeScript)', async () => {
    const verified = requests.map(({ body = '', headers, secret, now }) =>
      verifyWebhook({ body, headers, secret, now: new Date(now * 1000) }),
    )
    expect((await Promise.all(verified)).map(({ eventId }) => eventId)).to.deep.equal(expected)
  })
})
