import { admin } from '../admin.ts'
import { callApi } from '../call-api.ts'
import { explain, step } from '../screen.ts'
import { type Stage, writeHeaders } from '../stage.ts'
import { must } from '../wait-for.ts'
import { subscribed } from '../webhook-event.ts'

/** Creates a merchant and a key by the command line. */
export async function makeMerchant(): Promise<Pick<Stage, 'businessId' | 'key'>> {
  step(2, 'A merchant gets an API key')
  explain('An operator does this, on the command line:')
  const { id: businessId = '' } = await admin(['business', 'create', '--name', 'Demo shop'])
  must(businessId !== '', 'the new business has an id')
  const words = ['key', 'create', '--business', businessId, '--mode', 'test', '--kind', 'secret']
  const { key = '' } = await admin(words)
  must(key.startsWith('sk_test_'), 'the new key begins with sk_test_')
  explain(
    'This is a local test key: no real money can move with it, and only the service on this machine knows it, so it ' +
      'may be shown. The service keeps no more than a keyed hash of it.',
  )
  return { businessId, key }
}

/** Creates the endpoint of the merchant. Returns its secret. */
export async function registerEndpoint({ service, endpointServer, key }: Stage): Promise<string> {
  step(3, 'The merchant creates an endpoint for webhooks')
  explain(
    `Payments change at any time, so the service sends each change to the merchant: a webhook. This demo is the ` +
      `merchant too and listens at ${endpointServer.url} (outside development it must be a public https address).`,
  )
  const { secret } = await callApi(201, {
    origin: service.origin,
    method: 'POST',
    path: '/dev/webhooks/endpoints',
    headers: { ...writeHeaders(key), 'Content-Type': 'application/json' },
    body: { url: endpointServer.url, events: subscribed },
  })
  must(/^[0-9a-f]{64}$/.test(String(secret)), 'the secret is 64 hexadecimal digits')
  explain('The secret is shown only this once. It is how the merchant knows a real webhook from a forged one.')
  return String(secret)
}
