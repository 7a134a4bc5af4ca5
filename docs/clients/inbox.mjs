import { mkdirSync, writeFileSync } from 'node:fs'

// Stores an event. Returns false if it was stored before.
export function store(eventId, body) {
  mkdirSync('inbox', { recursive: true })
  try {
    writeFileSync(`inbox/${encodeURIComponent(eventId)}`, body, { flag: 'wx' }) // fails if the file exists
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}
