// Frames of ID3v2.2, whose names have three letters, as those of 2.3.

const names: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'BUF RBUF,CNT PCNT,COM COMM,ETC ETCO,GEO GEOB,GP1 GRP1,IPL IPLS,MCI MCDI,MVI MVIN,MVN MVNM,PCS PCST,POP POPM,' +
    'REV RVRB,SLT SYLT,STC SYTC,TAL TALB,TBP TBPM,TCM TCOM,TCO TCON,TCP TCMP,TCR TCOP,TCT TCAT,TDA TDAT,TDS TDES,' +
    'TDY TDLY,TEN TENC,TFT TFLT,TID TGID,TIM TIME,TKE TKEY,TKW TKWD,TLA TLAN,TLE TLEN,TMT TMED,TOA TOPE,TOF TOFN,' +
    'TOL TOLY,TOR TORY,TOT TOAL,TP1 TPE1,TP2 TPE2,TP3 TPE3,TP4 TPE4,TPA TPOS,TPB TPUB,TRC TSRC,TRK TRCK,TS2 TSO2,' +
    'TSA TSOA,TSC TSOC,TSI TSIZ,TSP TSOP,TSS TSSE,TST TSOT,TT1 TIT1,TT2 TIT2,TT3 TIT3,TXT TEXT,TXX TXXX,TYE TYER,' +
    'UFI UFID,ULT USLT,WAF WOAF,WAR WOAR,WAS WOAS,WCM WCOM,WCP WCOP,WFD WFED,WPB WPUB,WXX WXXX'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);

/** A frame of 2.2 as one of 2.3; null where there is none like it. */
export function frameOfTwo(id: string, data: Buffer): { readonly id: string; readonly data: Buffer } | null {
  if (id === 'PIC' && data.length > 5) {
    // Three letters say the picture's format: "JPG", "PNG".
    const format = data.toString('latin1', 1, 4).toLowerCase();
    const mime = Buffer.from(`image/${format === 'jpg' ? 'jpeg' : format}\0`, 'latin1');
    return { id: 'APIC', data: Buffer.concat([data.subarray(0, 1), mime, data.subarray(4)]) };
  }
  const name = names[id];
  return name === undefined ? null : { id: name, data };
}
