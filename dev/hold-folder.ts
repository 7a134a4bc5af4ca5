import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from './servers/ask.ts'

// The servers of a holder that was killed are ended by their supervisors within 5 s.
const LEFTOVER_LIMIT_MS = 8000
// A holder whose command was killed learns of it by looking at its parent, and the command in between does too (end-with-parent.mjs).
const UNAWARE_LIMIT_MS = 1500
const ENDING = ' it is ending'

interface Note {
  port: number
  serverPids: number[]
}

/**
 * Makes this process the only one that uses a folder. The holder answers on a port that is noted in the folder, so a
 * note left by a killed one is known by its silence, whoever has its process id now.
 */
export async function holdFolder(folder: string, who: string) {
  const file = join(folder, 'running.json')
  const name = `${who} in ${folder}`
  await mkdir(folder, { recursive: true })

  const { old, answer } = await theLast(file, name)
  if (answer !== undefined) {
    throw new Error(
      `\`${who}\` already runs here, with its data in ${relative('.', folder)}:${answer.slice(name.length)}`,
    )
  }
  if (old) await ended(old.serverPids)

  let words = ' it is just starting'
  const porter = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(name + words)
  })
  await once(porter.listen(0, '127.0.0.1').unref(), 'listening')
  const note = (serverPids: number[]) =>
    writeFile(
      file,
      JSON.stringify({ port: (porter.address() as AddressInfo).port, serverPids } satisfies Note),
    )
  await note([])
  return {
    /** What somebody else who wants the folder is told, and whose end the next one has to wait for. */
    async tell(news: string, servers: readonly { pid: number | undefined }[]) {
      words = ` ${news}`
      await note(servers.flatMap(({ pid }) => pid ?? []))
    },
    /** Whoever wants the folder now waits for its release. */
    ending() {
      words = ENDING
    },
    async release() {
      porter.close()
      await rm(file, { force: true })
    },
  }
}

/** Who held the folder before, and the answer of one that holds it still and does not end. */
async function theLast(file: string, name: string) {
  const beganAt = Date.now()
  for (;;) {
    const old = await read(file)
    const answer = old && (await ask(old.port, 'who?'))
    if (!answer?.startsWith(name)) return { old }
    const limitMs = answer.endsWith(ENDING) ? LEFTOVER_LIMIT_MS : UNAWARE_LIMIT_MS
    if (Date.now() > beganAt + limitMs) return { old, answer }
    await sleep(50)
  }
}

async function read(file: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Note
  } catch {
    return undefined
  }
}

async function ended(pids: number[]): Promise<void> {
  const giveUpAt = Date.now() + LEFTOVER_LIMIT_MS
  while (pids.some(isAlive) && Date.now() < giveUpAt) await sleep(50)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
