import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { eventScopes } from '../../schemas/events.ts'
import { npm } from '../setup/run.mjs'
import { admin, callApi } from './call-api.ts'
import { explain, gap, heading, note, seen, show, step } from './screen.ts'
import { type CreatedIntent, demoWallet, noteWebhook, post, type Stage } from './stage.ts'
import { must, waitFor } from './wait-for.ts'

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

export async function registerEndpoint({ service, endpointServer, key }: Stage): Promise<string> {
  step(3, 'The merchant creates an endpoint for webhooks')
  explain(
    `Payments change at any time, so the service sends each change to the merchant: a webhook. This demo is the ` +
      `merchant too and listens at ${endpointServer.url} (outside development it must be a public https address).`,
  )
  const endpoint = { url: endpointServer.url, events: Object.keys(eventScopes) }
  const { secret } = await callApi(201, post({ service, key }, '/dev/webhooks/endpoints', endpoint))
  must(/^[0-9a-f]{64}$/.test(String(secret)), 'the secret is 64 hexadecimal digits')
  explain(
    'The secret is shown only this once. It is how the merchant knows a real webhook from a forged one.',
  )
  return String(secret)
}

/** A developer should see the first event within this time after getting a key. */
const LIMIT_MS = 60_000

export async function seeEvents({ service, endpointServer, businessId }: Stage, secret: string) {
  step(15, 'A developer sees the events on a laptop')
  explain(
    'A laptop has no public address for webhooks. The command line for merchants follows the events of a test key, and ' +
      'forwards them to the laptop. npx installs it from the service. A developer gets a new key:',
  )
  const page = await fetch(`${service.origin}/docs/quickstart`)
  must((await page.text()).includes(`${service.cliUrl} listen`), 'the quickstart shows the command')
  const beganAt = performance.now()
  const words = ['key', 'create', '--business', businessId, '--mode', 'test', '--kind', 'secret']
  const { key = '' } = await admin(words)
  // npx keeps a copy of each package. In a folder of its own, it installs the current command line.
  const cache = resolve(dirname(service.web.log), 'npm')
  await rm(cache, { recursive: true, force: true })
  const run = (command: string): ChildProcess => {
    show([`npx --yes ${service.cliUrl} \\`, `  ${command}`])
    const options = ['--yes', '--', service.cliUrl, ...command.split(' ')]
    const [program, ...args] = npm(process.execPath, 'exec', ...options)
    // A variable of the shell may name another service.
    const payments = { PAYMENTS_API_KEY: key, PAYMENTS_API_URL: '' }
    const own = { ...payments, WEBHOOK_SECRET: secret, npm_config_cache: cache }
    return spawn(program, args, { env: { ...process.env, ...own }, stdio: ['ignore', 'pipe', 'pipe'] })
  }
  const listening = run(`listen --forward ${endpointServer.url}`)
  try {
    const printed = reader(listening)
    await printed(/Ready\./)
    await once(run('trigger payment.confirmed'), 'close')
    const line = await printed(/.* payment\.confirmed PI-\w+ → 200 .*/)
    const tookMs = performance.now() - beganAt
    gap()
    note(line)
    must(tookMs < LIMIT_MS, `the developer sees the first event within ${LIMIT_MS / 1_000} s`)
    gap()
    seen(`the event was on the screen ${(tookMs / 1_000).toFixed(1)} s after the developer got the key`)
    seen("the developer's server accepted the signature")
  } finally {
    listening.kill()
    // Its output closes as soon as every process has ended.
    await once(listening, 'close', { signal: AbortSignal.timeout(LIMIT_MS) })
  }
}

function reader({ stdout, stderr }: ChildProcess): (pattern: RegExp) => Promise<string> {
  let output = ''
  for (const stream of [stdout, stderr])
    stream?.on('data', (bytes: Buffer) => {
      output += bytes.toString()
    })
  return (pattern) => waitFor(`the output ${pattern.source}`, () => pattern.exec(output)?.[0])
}

/** Prints a payable page, addresses, the key and commands to copy, and then every webhook as it arrives. */
export function invite(stage: Stage, waiting: CreatedIntent, folder: string): void {
  const { service, businessId, key } = stage
  const { origin, cliUrl, web, worker } = service
  heading('Now you: the service stays up')
  explain("A payment waits for you. Open it at a phone's width, and pay:")
  gap()
  note(`page      ${waiting.payUrl}`)
  note(`phone     ${demoWallet.phone}`)
  note(`PIN       ${demoWallet.pin}`)
  note(`or        type the code ${waiting.code} at`)
  note(`          ${origin}/sandbox/${businessId}`)
  explain('Its webhook will be shown below when it is paid. For the rest:')
  gap()
  note(`API       ${origin}/api/v1`)
  note(`health    ${origin}/healthz and ${origin}/readyz`)
  note(`logs      ${web.log} and ${worker.log}`)
  note(`docs      ${origin}/docs, README.md and docs/`)
  note(`test key  ${key}`)
  note('endpoints you can register http://localhost:4000 followed by any path')

  explain('From another terminal: see the events as they happen. Then cause one, in a third terminal:')
  gap()
  console.log(listenLines(cliUrl, key).join('\n'))

  explain('From another terminal: create an intent, read the one above, cancel it.')
  gap()
  // No margin and no colours, so that only the command is copied.
  console.log(curlLines(`${origin}/api/v1/dev/intents`, key, waiting.reference).join('\n'))

  explain(`The data stays in ${folder}/ for the next time. Ctrl-C ends everything.`)
  heading('Webhooks as they arrive (times in UTC)')
  gap()
  stage.endpointServer.listen(noteWebhook)
}

const listenLines = (cliUrl: string, key: string): string[] => [
  `export PAYMENTS_API_KEY=${key}`,
  `npx --yes ${cliUrl} listen`,
  `npx --yes ${cliUrl} trigger payment.confirmed`,
]

function curlLines(intents: string, key: string, reference: string): string[] {
  const authorization = `-H 'Authorization: Bearer ${key}'`
  const idempotencyKey = '-H "X-Idempotency-Key: try-$(date +%s)"'
  return [
    `curl -sw '\\n' ${intents} \\`,
    `  ${authorization} \\`,
    `  ${idempotencyKey} \\`,
    `  -H 'Content-Type: application/json' -d '{"amount":50000,"label":"Mine"}'`,
    '',
    `curl -sw '\\n' ${intents}/${reference} \\`,
    `  ${authorization}`,
    '',
    `curl -sw '\\n' -X POST \\`,
    `  ${intents}/${reference}/cancel \\`,
    `  ${authorization} \\`,
    `  ${idempotencyKey}`,
  ]
}
