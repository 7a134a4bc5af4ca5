import { gap, heading, note, tell } from '../screen.ts'
import { noteWebhook } from '../show-webhook.ts'
import type { Stage } from '../stage.ts'

/** Leaves the stage to the newcomer: addresses, the key, and lines to copy; then every webhook as it arrives. */
export function invite({ service, receiver, key }: Stage, reference: string, folder: string): void {
  const { origin, web, worker } = service
  heading('Now you: the service stays up')
  gap()
  note(`API       ${origin}/api/v1`)
  note(`health    ${origin}/healthz and ${origin}/readyz`)
  note(`logs      ${web.log} and ${worker.log}`)
  note('docs      README.md and docs/')
  note(`test key  ${key}`)

  tell('From another terminal: create an intent, read one, cancel it.')
  gap()
  // From the first column and without colours: what is copied is nothing but the command.
  console.log(curlLines(`${origin}/api/v1/dev/intents`, key, reference).join('\n'))

  tell(`The data stays in ${folder}/ for the next time. Ctrl-C ends everything.`)
  heading('Webhooks as they arrive (times in UTC)')
  gap()
  receiver.listen(noteWebhook)
}

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
