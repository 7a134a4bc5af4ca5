// Holds MongoDB's fsync lock for as long as its stdin is open, and not longer than it is told: whatever way a backup ends, the server
// takes writes again. MongoDB itself keeps the lock when the connection that asked for it is gone. A timer or a container that is stopped
// sends SIGTERM to this process too.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import mongoose from 'mongoose'

/** MongoDB's IllegalOperation: it is not locked, as after a restart. */
const notLocked = 20
const tryAgainMs = 500
/** A server that has not answered for so long has ended, and took the lock along, or needs a person. */
const giveUpMs = 120_000

const { MONGODB_URL, LONGEST_MS } = process.env
const asked = once(process.stdin.resume(), 'end').then(() => 'asked')
const told = Promise.race(['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => once(process, signal)))
// One connection, opened before: a locked server may keep a new one waiting for its password.
const client = new mongoose.mongo.MongoClient(MONGODB_URL, {
  directConnection: true,
  maxPoolSize: 1,
  serverSelectionTimeoutMS: 5000,
})
const admin = client.db('admin')
await admin.command({ fsync: 1, lock: true })
// Who asked may be dead by now.
process.stdout.on('error', () => {})
process.stdout.write('locked\n')
const why = await Promise.race([asked, told, wait(Number(LONGEST_MS), 'too long', { ref: false })])
setTimeout(giveUp, giveUpMs)
while (!(await unlock())) await wait(tryAgainMs)
// Ends also where the connection would not close.
process.exit(why === 'asked' ? 0 : 1)

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
