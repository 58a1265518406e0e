declare module 'qrcode-terminal/vendor/QRCode/index.js' {
  /** A QR code of bytes; version -1: the smallest that holds them. */
  export default class QrCode {
    constructor(version: number, level: number)
    addData(text: string): void
    make(): void
    getModuleCount(): number
    isDark(row: number, column: number): boolean
  }
}
