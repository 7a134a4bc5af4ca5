// Holds MongoDB's fsync lock while its stdin is open, at most for LONGEST_MS, so the server accepts writes again
// however a backup ends: MongoDB itself keeps the lock when the connection that took it is gone. A stopped timer or
// container sends SIGTERM to this process too.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import mongoose from 'mongoose'

/** MongoDB's IllegalOperation: the server isn't locked, e.g. after a restart. */
const notLocked = 20
const retryMs = 500
/** A server that hasn't responded for this long has ended and lost its lock, or needs an operator. */
const giveUpMs = 120_000

const { MONGODB_URL, LONGEST_MS } = process.env
const finished = once(process.stdin.resume(), 'end').then(() => 'finished')
const signalled = Promise.race(['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => once(process, signal)))
// One connection, opened before the lock: a locked server may not authenticate a new one.
const client = new mongoose.mongo.MongoClient(MONGODB_URL, {
  directConnection: true,
  maxPoolSize: 1,
  serverSelectionTimeoutMS: 5000,
})
const admin = client.db('admin')
await admin.command({ fsync: 1, lock: true })
// The parent process may be dead by now.
process.stdout.on('error', () => {})
process.stdout.write('locked\n')
const why = await Promise.race([finished, signalled, wait(Number(LONGEST_MS), 'too long', { ref: false })])
setTimeout(giveUp, giveUpMs)
while (!(await unlock())) await wait(retryMs)
// Exits even if the connection doesn't close.
process.exit(why === 'finished' ? 0 : 1)

async function unlock() {
  return admin.command({ fsyncUnlock: 1 }).then(
    () => true,
    (error) => error.code === notLocked,
  )
}

function giveUp() {
  process.stderr.write('MongoDB may still be locked: run db.fsyncUnlock() in mongosh, or restart it\n')
  process.exit(1)
}
