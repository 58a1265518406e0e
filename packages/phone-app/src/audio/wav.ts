/** A WAV file of one channel, 16 bits: samples from -1 to 1. */
export function wavOf(samples: Float32Array, rate: number): Uint8Array {
  const bytes = new Uint8Array(44 + samples.length * 2)
  const view = new DataView(bytes.buffer)
  const write = (at: number, text: string) => {
    for (let n = 0; n < text.length; n++) view.setUint8(at + n, text.charCodeAt(n))
  }
  write(0, 'RIFF')
  view.setUint32(4, 36 + samples.length * 2, true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  write(36, 'data')
  view.setUint32(40, samples.length * 2, true)
  samples.forEach((sample, at) => {
    const value = Math.max(-1, Math.min(1, sample))
    view.setInt16(44 + at * 2, value < 0 ? value * 0x8000 : value * 0x7fff, true)
  })
  return bytes
}
