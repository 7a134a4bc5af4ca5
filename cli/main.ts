#!/usr/bin/env node
// The command line for a merchant's developers: shows a test key's events, forwards them to a server on this machine,
// and causes events.
import { homedir } from 'node:os'
import { version } from '../clients/typescript/payments.ts'
import { readArguments } from './arguments.ts'
import { findTrigger } from './find-trigger.ts'
import { help } from './help.ts'
import { installedFrom } from './installed-from.ts'
import { listen } from './listen/listen.ts'
import { readWebhookSecret } from './listen/webhook-secret.ts'
import { openClient, sentenceOf } from './open-client.ts'
import { readKey } from './read-key.ts'

// The output may be piped to a program that has ended, such as `head`.
process.stdout.on('error', () => process.exit())
process.stderr.on('error', () => undefined)

const stop = new AbortController()
const { signal } = stop
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => stop.abort())
// Ending npx ends only its shell. Without this check, `listen` would continue, unseen.
const parent = process.ppid
if (process.env.npm_command === 'exec')
  setInterval(() => process.ppid === parent || stop.abort(), 500).unref()

try {
  await run(process.argv.slice(2))
} catch (error) {
  if (!signal.aborted) {
    warn(sentenceOf(error))
    process.exitCode = 1
  }
}

async function run(words: string[]): Promise<void> {
  const { env } = process
  const command = readArguments(words, env, installedFrom())
  if (command.name === 'help') return print(help)
  if (command.name === 'version') return print(version)
  if (command.name === 'secret') return print((await readWebhookSecret(env, homedir())).secret)
  const open = async (url: string) => openClient({ url, key: await readKey(process, signal), warn, signal })
  if (command.name === 'trigger') {
    const trigger = findTrigger(command.event, command.given)
    return print(await trigger(await open(command.url)))
  }
  const signing = await readWebhookSecret(env, homedir())
  await listen({ payments: await open(command.url), print, warn, signal }, command, signing)
}

/** Events go to stdout, so that they can be piped to another program. Everything else goes to stderr. */
function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`)
}

function warn(text: string): void {
  process.stderr.write(`${printable(text)}\n`)
}

/** Escapes control characters as in JSON: those in a server's response or an event's data could change the terminal. */
function printable(text: string): string {
  return text.replaceAll(
    /[^\P{Cc}\n]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
