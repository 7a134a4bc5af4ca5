import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { npm } from '../../setup/run.mjs'
import { admin } from '../admin.ts'
import { explain, gap, note, seen, show, step } from '../screen.ts'
import type { Stage } from '../stage.ts'
import { must, waitFor } from '../wait-for.ts'

/** A developer should see the first event within this time after getting a key. */
const LIMIT_MS = 60_000

/** Shows how a developer sees the events of a new test key, without a public address. */
export async function seeEvents({ service, endpointServer, businessId }: Stage, secret: string): Promise<void> {
  step(15, 'A developer sees the events on a laptop')
  explain(
    'A laptop has no public address for webhooks. The command line for merchants follows the events of a test key, and ' +
      'forwards them to the laptop. npx installs it from the service. A developer gets a new key:',
  )
  const page = await fetch(`${service.origin}/docs`)
  must((await page.text()).includes(`npx --yes ${service.cliUrl} listen`), 'the page /docs shows the command')
  const beganAt = performance.now()
  const words = ['key', 'create', '--business', businessId, '--mode', 'test', '--kind', 'secret']
  const { key = '' } = await admin(words)
  // npx keeps a copy of each package. With a folder of its own, it installs the current command line.
  const cache = resolve(dirname(service.web.log), 'npm')
  await rm(cache, { recursive: true, force: true })
  const run = (command: string): ChildProcess => {
    show([`npx --yes ${service.cliUrl} \\`, `  ${command}`])
    return startNpx([service.cliUrl, ...command.split(' ')], {
      PAYMENTS_API_KEY: key,
      // A variable of the shell may name another service.
      PAYMENTS_API_URL: '',
      WEBHOOK_SECRET: secret,
      npm_config_cache: cache,
    })
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
    // Its output is closed as soon as every process has ended.
    await once(listening, 'close', { signal: AbortSignal.timeout(LIMIT_MS) })
  }
}

/** Runs a package with npx. */
function startNpx(words: readonly string[], environment: Record<string, string>): ChildProcess {
  const [command, ...args] = npm(process.execPath, 'exec', '--yes', '--', ...words)
  return spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Returns a function that waits until a process has printed something. */
function reader({ stdout, stderr }: ChildProcess): (pattern: RegExp) => Promise<string> {
  let output = ''
  for (const stream of [stdout, stderr])
    stream?.on('data', (bytes: Buffer) => {
      output += bytes.toString()
    })
  return (pattern) => waitFor(`the output ${pattern.source}`, () => pattern.exec(output)?.[0])
}
