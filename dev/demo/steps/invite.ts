import type { CreatedIntent } from '../create-intent.ts'
import { explain, gap, heading, note } from '../screen.ts'
import { noteWebhook } from '../show-webhook.ts'
import type { Stage } from '../stage.ts'
import { demoWallet } from '../wallet.ts'

/** Prints a page to pay, addresses, the key and commands to copy, and then every webhook as it arrives. */
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
