// The 8x8 hand-written digits. Written by train_digits.py: do not edit.
//
// Data: "Optical Recognition of Handwritten Digits" by E. Alpaydin and C. Kaynak (UCI Machine
// Learning Repository, 1998, https://doi.org/10.24432/C50P49), licensed under CC BY 4.0
// (https://creativecommons.org/licenses/by/4.0/). These are the 1,797 samples that scikit-learn
// ships as load_digits(), in its order; only the encoding is ours, no value is changed.
//
// Coding: each label (4 bits), then its 64 pixels (5 bits each, 0..16), go most significant bit
// first through an adaptive binary arithmetic coder. A pixel's probabilities depend on its column
// and on how dark its left and upper neighbours are (5 levels each); they start at 1/2 and move
// 1/32 of the way towards each bit seen. The bytes are written in base 85, big-endian groups of 4
// as 5 characters from '#' on, with 'x' for the backslash and 'y' for the question mark: neither
// then needs an escape. This is 2.4 bits a pixel, less than half of 5-bit packing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace digits {

inline constexpr std::size_t sample_count = 1797;
inline constexpr std::size_t pixel_count = 64;   // 8 rows of 8
inline constexpr std::size_t train_count = 1437; // the first samples train ...
inline constexpr std::size_t test_count = 360;   // ... and the last test, unshuffled

struct data_set {
    std::uint8_t pixels[sample_count][pixel_count]; // row by row, 0 (paper) .. 16 (ink)
    std::uint8_t labels[sample_count];              // 0..9
};

namespace detail {

inline constexpr char text[] =
    "u:Rt.]T.XDi_'A6^#<5S3-kHc&g`[Q:A`=YfEjoDgg#G61Sv+9ZBdA#MGP`jktl9AFsmj#nJGl4m@l(8jlfU<W`,7D"
    "]J-CV$XHP:pd/q+F1GTj_FWo:Fi8e`EH0jV27B$-:`D_U3i+X#p&B2ND4P'Dm<TpjpaGI&9<#=AQ5>$&EbV:#Qh;-G"
    ":+LT27BZ-R)-'KE*4e/1V9)nH1HCCO'osqtrU<iM6g/8N1Xne'W'vOBZlT1SU5T&X]h;I_(n+C/dDAF,QV3*K<hPR)"
    "yOBHVgL+V(h=T439f1I0B&0M>(8k<fd9cc,W+Xuwko^oAiZPK@7rZe4Ek0dc&*$F7H4JL@a,]T:lrF&X6i92'F[Y[="
    "UvfQY7y8=yyUff3W)N]Y4:Ar=ES,`Adc]Cj`EMjuaWb/&%xSPn*c;$MEO%5R+YD#nAAL2@,de<Ei;xNXyfLoRt$M=s"
    "4)$lF&KE*=lYsOvR94,:/T1#/^SCGGn]T]>m%Wp[tZfG=D^OZqS7acc-hnp:*Y2obiEij2P:ZaW>#L>ItJ_Ie.^bVl"
    ";6qq3[mT6yxBVW;y>-b//MmMFVC*bYXJB'$mDv#St/JQvewalZiUPOr.2H'V1;2k*l+W[f`qif>3IfTA)[#5u,>RMN"
    "$#`x;A[93:fb$^r5/Bt$%t+1i>qOHB.<)f&V1@*__bLQinTRgkDg+#H/Do;i76j)6m1rHeD]W2&/Zo31b+HSKy^Gfe"
    "A1_-^`Clst1)QqfME3fsG]H$uLvENkl2UM^;<TAx`7.Las*;h#k)MtFskZHL-D=O@hAtJJMwU9MA1+s6&9)E$73;B/"
    "PS-L.SGwCdSZJoE8MR7DXdi7pSTb4`dN^MZL>R@NQy3'mObV9XyT3A3lVRB.oB'<l9DfQ<,1+i;J&QFm;asGW;_T/8"
    "2.dH1frtY4tu^1&]'a^x0(53j6k88F]J8BL@o''r.tJDZ%h5nh&g'Vcm>3DmY6Zl5gP9/+]w)B$/mAKM]O)WM0w7=4"
    "pYjxNJNBoPW)mgYrG,R#KH/#HiaRbyi-18]oUtU;URy,([3#Q#B=DjopLE8G:K.5W4.%R.@PFhPkyg[cHyQrhG2g_s"
    "$n/(b3(GhwBNi/WLv_1kDPB12E[BjDog^F+Em>VhXawC_@>R,hP$7%F*+R^C/F3i7B;52me0y9@3^h&2x0eIF:kddK"
    ";;8'_e%i;tkWs(i>:BO)MT.9ghAtgvgacgj36www'Z'%p=6X^m@-=@(^9jQ&n[_<Gy'rD-**s7`*+>L=&4W.inF6]["
    "yvu`=^I`3Mx8al,YCW<]73WvdXFu`5R#N#@dQQJj1#7Xy>ZD7a;Va#kmFtHYe$l0sH:@(StcxH@j^3_68,7nJAel,w"
    "l.sj#TnSdem0d*NGhbsTV#dmp['gc<JkB-/I2;brJBB^X)fr:eON&o*;/Q]fDu;QBg;hL,/'xIlNf,r<V]3lmXKD--"
    "Sg+Ixh*s%thyqvv4%G6;Q93HPgv+[*V>u+:,41r[J7fEK$O_7QeAQ3kWTGb#y&pH9dBP$(F4/[ppoX;[bxJTj(tNlc"
    "0MNZ7=]%QmSR^jQLf'q7BI'WZ^Y(Bk3vPNqs3L_Z&./U)<&q2r2QTc5^%;2Hc_oG:dpKvL#O9N(DnA%GnPlJYtmyn*"
    "St.*iKgtyDGPDuvfMu<Q[+p/Pq>vr$.I,+>Ubxe&%>/Uugt53Q>Fg4Yp*/8fe/IYnF)+mf6#Ui-d]>MNqpk)rA0BDD"
    "6vDqWrh[Z4^_lwWrg,Dx.@8jQs7WC69`DgDDy4fecFk7_U7wG.195r8,Yfq/jn%I&:VTTJ-arij@Rh0:XN&A;eyXJw"
    "G*Zb(hoDlKP(iUG:^LtQafv3L$AG$T%j=jn<JsP/=Q(q^]ki<B^fy'8t*kP:0qY;jPXBa9NA@lVlW7=-amqEyX7T>K"
    "Ax28eFilUCOtXR2jv9pA&gwc*FBDm`h8Q`0`BO>d9R3mljk,*x`V/I`QT]n_SPRJ-^2-_MBPUu@<M8CH0ojQ]WSH3^"
    ",'&BZUIp%fm`/;gDKn8TC%f&OG,PDiA0fj&VWLp)(rf<NPLXHg8dy'bK8tC1pAhM[St*vPc.S%.ZReIqH6hHVE/fFA"
    "CQ#>:/v&9CY[%/;DyIxH7Mjp;5mMB;e%YC&$&Pc>)ITCuK>olL%=+^7Yqlh]kZ/K4&r+q9A3)6uO.f%3<'2`N9hMwL"
    "c,QGygU9SLxqVyNsC-3KglXhAbM2Ds.ydk`i.siv>TlUR<eivHj=`fkRl2Bkl`g*Y@c5hQQq*,[c'sSm_S1rIHJ2]W"
    "O<SU9VqHS96o1-ieR6Z2*`AD[*.*b%CTvBlrc9Yx_Rj=8AHE1f0JkT@&Qo7&FOatWfw;a9=@@BBM.n)gFbfFg9].6t"
    "IwC[6g3<A9;u6%:j:y^i.yO7QiVW89Ajq4e#yT$QFijWFG/g%1(J4:Ie&41KNS0Ba(_JSp4rbXSFuEf](BvU.gq+Bx"
    "O(Bv+XtHZ&g89Ic@l;jA]_(H^sn;x#-onth3iLrYO0*k>cLrS1#4HM':ptZ/g40W.=u:fk%9^skX1G--n8MZE'=ot;"
    "&cnlZAuJ&a(>UXjYuVvZkAXF$HF;muR+Fw]asV#S)5:*nY;>v[EeGX2Tvm8Qe:oV6E'3R+THlCtkH&iU]>M9^e>8+b"
    "(e^2,x[:-FPi5=qNZ&;fKOrhb'ZYJfru3T<@D'[0.]/t*[1<:<xAQ>Z`bXPattw^].6GTJi9<GjBpc+A_a])Li,N54"
    "^hq%IXenRjXH(jeH=O&L:jpkqo8s_kIXkcGY-L(oYt+n(XDlF+2*$RK:rDi$jJL(+&Dh/(ZHl^N=Xi=VIx#7:a[3tF"
    "L8-lb7u2L(k>MuOZPkfQ[GrTLx2*'HV2@Wrf(j=eb9nO[Cn$XeU%'#D0(7$#t%lD)B4KIV>Y/f>i,psy4Rxx56emvs"
    "Y'r:>3OlmNOSH6EoGcU689;qN9Sl<BEuP>PU*Vu7/bqgfMx+COI'3IW_i:/l8WB^ABxrJ.JnJYI[D&0;-H+;K$qs=p"
    "Whf5wQD*)Em*+wVZn=kD2ZGe47)=AM1L1c)#d&yh(733SNJ9;`xM/M#7%)XlL;@ljgO-KPHIy)#9w>/a:`$_5qaU+#"
    "BvIvWhOSA2V4=^*,^P,@nQ>KW2V%Uvh6gMa5P7,bUwZaoWHX)22hhxbU<6HRYyMEv1erb9-`SERlfw#lM-e;OEB/9E"
    "iXi'T04nmB_&AiisMHjc5O.XC%^n-H+BZjOL7S=<0JyZ`P[ukY^ER)nOb)lQ5:%D#&X@BDA@)&gg=kIEqIY6fF@,;G"
    "eW4[EDA&)XYmocZ=>[jy/ij)h:$Xi^HqbWSmwV<q-Z[n=(J)YK;#*:47v8$;]ru[8M=mcq=3x#:SgV6f9O=vuRel<F"
    "(ha+s3H1)AZ+P*=qEufumO$^M[q8<ml<VxhT$B)Ku3HIdp&2>EhjL3QpcC[:S<ol-Jq>jJc-ZsVU'%1$`SYL=PAQ>r"
    "X&21vLF4-h8UDxUS#eWX@e]GT]TL_cG0O,wRwyS/U]FcY;'/_^]B4>tTLEys1%d`rADklE@bQdsHDI6;1Lx[OC9.0S"
    "Neq7%oPV7kaF+5]l1_BN;'>`@,yloj_a6=^E#9rqN2QeCasa7)5CGKO1(TJ&fMR[CN8m>:*d51a)RQeKx:]4`<3[8`"
    "B4&GK3OF1B$KgR7o2B9/p8_OUkDTH_'CE88r%nsX(eHRhre7l:q&-X`t'`34rooR%r4vPF_WLS/LpDJdMdkgm<3K'-"
    "]QI^*dRRt0,^xarkedf8K@8-7oA&V-d>,6JByZIe8<gs(88I6%q/,]TGw,6W/G&`Fe08wV[sr66HY_tNUgflCdN=f'"
    "u-LubLf:>BK`qp,`EM<7)7>vJDvX%2QZ<BBOy6rgC])chrcX`rCem0EP&4cW1P$d^tl3E9;k1^]insInO$x5NgO24v"
    "@dA3m'Z9+o'0qaH^[:f]Htu]CSCX>PC'^&Yt;,JULs$1SpRW#tl1sT.JXMud/@[(<l+trmENLe*eJYPop,^y'@2.gL"
    "#haa#M1MlLUvrm6h95;hb`uf44I0ITH#v`RrU>$g@7x7<ZDWbk'l'ql]1uY'iVeJosSdU.,n4T0Xg+$^HAxu4E/g;)"
    "ScLM`Qd+WV8Nc_qf[j7xYpX(IWPb1>q-p5&Ggf<jK-(8;sb//-Vy&%A7t&Dw27EC=@@)>NjekBJbb:Wo]W:j3;UlBm"
    "a_qXoK8XH-eF[$$3nM]gZ1wx9S;`oVSscb3dO,K/j9'P)h3Q@.V`]j-gqvcjVhod=JDmeSYg4*W^4s^e7n9TbKg64C"
    "DW^GDB*Z[tolSY)dAo3$dS35iE/kYOSs_mFXAm4rx2AKmJC;R.Y$e]Q3@H+v2U$8&aAXs*0svT`)Xegp=-o%wbxOW#"
    "s][MG`7dieXk+Jg+[(ku*c)xB7<_XG'2vx6q3oJ&U>gvT&q;M/LQY%IIwYg&+%gGJc@GII$*EAy/7C/Nsc1$^NS'(8"
    "Cy.9iXi9PUq*JwUiWA#sG[Z%n>Jjnu(]M)f8LnSCaDnMSybhF$>#M;g/QVPNZ>$f<Brb(VHX*/pLLP'+D&YAwQ&GuL"
    "J9w-<_jU^u5uIwNJk40P<7I(2H`U9Bmq+0>=ETS<88^cf-_GU4/r)xM*]$s):taxkl$IWKQOEGq5+ZTpp8HwfUyywv"
    "goNPb_fr$&=#2(:Px`,/^2iy@3Tj5WlH0puJrV^ya6xHy2f]04`Ap8Klw/o07hU-fC32a0L%.ix(=@xfZ@Sy*^[Be,"
    "T5$6UCQn+iRGkKC7i+p<KN7M%2,61Hc:1ps:f#sA]$ZFJXcm+.hMbnGcu<w.Yed7psn>]4j;_ZAPRp7@#7GguM6,+p"
    "O88:1rGf>#Ois*@a=6^8/FN*lx-SJTh<XklpId^YZ,mpW]5Y%axUo']m05t5LoFWt#p;Y/KFlI1E(;LSOUXhjy0#eJ"
    "RGB`AJ+h*)9Wq1geMQh;p/_E-ahsgAjBUoo*#l[p9B,j]@B8E$xo,nw&<>Eh_KeJ/:MZsPpgkNhY5<RvR&wJ8gC'Ku"
    "$Su:ixZQtm,.8t>pH^CktBY$@V@Vwp*%/DocH%]5^*#GqtLqCp>mj#)7O%5fmXl1P'm8C%^#wM6WCL^ga[,u1oKM$Y"
    "_&wrKh$pluAU3LDYHr[9Q5L<H1O'F&^<f8aXBClq,Y13t5'U0_u)^(r<BCceX-j;oFSq4*HT_:ZflpC-sr8u_J&^P8"
    "N0+YC8LKcr[KJU@`fm2hgc1gUyR''+8d^.,bmi@y'C0VZ.$84#xW`tr<r1Krqe%PZSd'mTr)pPyM>BmetdYuq:=qUL"
    "DtXu8M]UsiLh%Fv]gpdIkT[=ZntlR<pw9TSO$@GyHg*c=1j&YhinQC$Sb-[6*N]8=(Mxn*4*S^46x)7]Ij/n`Jc%Q<"
    "]sI$tLewY>n-krcq*Th@;5/;7;L1avt@VU3%^I;iHK(EuDj2I;_>+jjmT(-dIS&6jJ#8r^;^K2P<o4[5QG1Ogr*,c2"
    "P<Nkf^HSJ=l*3SiU,8WJY)l+(Vc4FSdbZ%wiR(dg<1Cwa2)c1,GGewHEf]LPA=#9GPQ%v3MZ$'jWO`>>K:QNq/HOP1"
    "O<j>&y4+mY>t_yy'P#,S5+Y5kqRmHD<$=S$;daOSp(tUW.Cc3Y0ULD,4I0&WWsMVVZCPky&r@h#DPAy.EJqgAtjPv'"
    "a_EZlAY1tbt6pE[TspuVnG`u`HP<jkWsLljyfk<ATBfarp.5@QYu+EV.p[q4>&@lAG&)/5<3B@JL^&W:_6b')DT[EY"
    "M_OX2(p#jNnx^<PfgVZF_-XQY_KNBg9dqT*3v(L0$t'hdE;G@$09Uw-GIrepGX1i(Q0K`A/j3su3sm[i(,-.Y8CUZu"
    "&]47jl[1QY$Sfm_mwn;j`w%SrhH)Eb*&jlI]Q_h`-OBRJWrBti;Nom9lnb[=m)/kGZg@OTee**vVuv1i^t>VRK@r>L"
    "2$Q,Z;.8KW1VXweR9^Jn-9O)7(k>#:j&B:5s#h<K#l,ba/=JLH=ITTf=3)2#0&,e%J1_]+i&rBO6ay*B'kA;.EVn`7"
    "IT>Pltjt$:(<id1s0xg$(,V'9)ENpP1rFhioJ>Vi3%&g]#r.cTsB=$0/soU^;,-nbs7&V[K[-9;e6=g]b6E09y7x3R"
    "9nh[5xMexq[7'k#3yKPl3R/S`BmgcUr1^m061*kecf^hKD28LAZY#vvIMIB9ch^Iy5D3=[=IMrQO%h0=AeF9)lLl5("
    "t_CwnGMing,o4wg3Qm<Ap)6cU&n'XQ/Yq3@qSwtuAN@mPK(X<,<yhB[(vbSr]*E^DgAdlHW,VMR&/8)Y6T`gx_1.E>"
    "M$-DTqV$Cr7Q>f42MG>+r:-shS=pjI2HXVZ.oTD[#DiF/AHRIdb3bErE_1.>B'K0@p[g64UM4H#'J-ir<[>X^O,xJn"
    "yx0PU3P6]J>OsXKLc<WePBYcsWer[[T,YjXym6D_PgVGrti79&04Gwfj`sAfl.4apxd]4x38yX#lE#vMn&f+reYTaq"
    "rN%ya0+X--yUsvL43B9#ySGX3Fg+ip7S7Awc7r;lB)'A:mvTa&#Nq*/k->Q3MFPITRd9bK8ac6h&CrLw&h^=VV(rD:"
    "0Pt>ybL[Vh-bL`DfRi*RJ4)^QUkp*>YdNg&IQZEN(g67I;qp[JlRDX0C<xWWK*44i,(@cZ:pi5P0a.se>naFlN^y.L"
    "kcA:H<v<0OX<m:T`MM8gL75]%TkT^N/=&7jNPxP0frrdu*/sK01-jXKRPOTfTv;b/on/>(U8#3+t0E;xkuWrtT(aeR"
    "0oI;PE]+4xEPN#0UF`IeH=uHWMv&X(Njf%AgB:heb-J`>VZP^DZxI'Oa*N$1:s>s1Cl13XWwn:=L+Z&S2.u6[`@/pp"
    "qUv544$;H'HqUKq9EPRflp3GPR35hXn^;`O*dJ7=A)VFbycsK]$ori@qG%G%dUOsvrvwl,1.jut:XKEUG]F3I.tk,e"
    "T_cr=xvyO#E4^g6fvO&eCs>mjhK>Iu$(+gVPafl$N/nv^I*JUxd#VO9cX/7>0B8Yk>a6$wV2]o^B=]yRkLwLS=(0aS"
    "ieb[E=I:W1*MDnV5=G:)a&Kc'G`B=cSm1oGQsisujY:<L]ictn;)r/=Nq:BT:q%.=s+[-dLov/UaIeTBID@6Br-(jr"
    "`O:mDJE(jHhup6ytOoX-oq1w=+Fb[_km=Mvr8f,9.Do+Yh'(qVKH^,<E24)bps_C=CEl>fkm:iNW=>Oi@q*EyZEeS/"
    "ZQoXTLrA96Re:BgHc6q#U7XH=D67rx..7U^Aiad_M3b3+)QeEjNiDxAN)/n()i_1u^>@$Y`9>l%nYvi*0VZa/0Xc7<"
    "^8PoaO(o`(Bq8AtyBrjV33Z`c#5wdmRm1ykS`2hcMOn3C9]9DuEjluM<Z>^k1X>VZGwlQx#V*,A3uv%MCwskH=I><V"
    "P3v+](lPY_nKy_l>WLBJA_B8)(lM<@eG71()11F]CZwW,%'gh68te_T3:1F9D_(T2;1C$FGxW[eyGi+Ni=1xoH=Y>G"
    "ER5Jmh5%Eiq3DTwiG-&*V3Rfk-[=lqd@SBAgEVU6N^58MxJXi0Dgqs_cqr%$@(W9Nsj^6W=-ha=&YJJ:HHnjHh6jC5"
    "J[0D)p'#u),pbn.g7ytU/*f0I_jQJQx0vx^:WEuS6rZb8jAY$%s>xw8anQSK:jEp;N:N%35-`H4oEelJi3l[ktS(6)"
    "8S=NjlN[Hmg.%AWIH[&[`y_EI(vdL.A))0drPcU3i^g@282&)jAr*y@4#VLD2k+WjTDp*&2yB);<O_L[`-N=kap.;+"
    "syo$*&Up6&.H>M/MB1[L/WZJq&(%:'o>.(TWE9n#Yd6pD4@9YJ.]*q.qqca12XtL*JU^gg2A*exVYsYIBOO7p0W-=f"
    "@3+SyHKD11O0ayV<d3bo'sCAN,o9I@G0Jl:8>jXbnJZ,+21E]JDI4QQ6XZkc*AY$o2i]W(-y1JSHwS/cnnJgG4AsoY"
    "@,NG5.`/FhB_/)8,aj5`:7DpMH0h&eQsPm9X-HqcJ;rWOXYZal3Z0q$W<frOPCj%h@&:VGakYiR,0w01ny.2Nj$I(D"
    "2c:(egR+NDOt=-P-)diwLkB%0oH@NMlUw4#PfwWe#sdWR%ctNokT_JD6yDv+]tfvZO1[YYy0+iR_F/Ag1JxQX6Kc.t"
    "k+afLk>#G^S,-j6xf42#Rn[j*+Ad'Mbs5$(>:,v8Qr8ibeLmv-@CKE&`M/aI%7&>e<;sa;+i>*`&/]^=eKYEuxMHll"
    "^_6LAi&X%JPNDkoZdaa0F-N]W)RHoc(M6t)Z4@),2^RRMkI,*SLx9XdLf%n8d^A2B+Xb=/]M2-4R2:&9<Fi(f<udP;"
    ":.qyw*_F#&MD*N7_QAj/O`=uD:rU<m789jnVhQJd#_%bs1kN0ncW>3c2$OP0<J_VreF*q&y=`h,DWTq$om6#UT^n+E"
    "@L87L[kKZ%%GF)D@g/>OB2iS.lLyaCBo<Ea2-K.=AnD*1t4J0E+EWO*&W->(TkS(n(JcrDLTIZg6+pTry-%$YV@Ap]"
    "T9)G9bn9+N%Z>]52EEglZqKK`3d4].a<kYhxav7r4dS1L_Z2Hnk<8*ng'RGhQvQij*[_sL+c_;.;'`6T>#XwbtO<WO"
    "*x&aQ`cs)])cW9aOoq[_XL<[JjOUo&MtfouA[o/lyRgI>Gkf'@G(y(4MjVe`iBE6yHE9<2>P)M^B4MU&]G<C/]eGP7"
    "K/%HfrC4UlZQU0E3_5$SkgR*@4Zc+5`Tm4MhxtdBkW[j7K0tZSAW=C-J#@4FGwhm`[Gg0TN/y'/Vy@tkB<ED:Uti+U"
    "K9DYQJJY%jDqGw,Kws52^sU^41^Pb<JvUBmN#B@$bE3_d7`6Yuo%^CAL_'A'[HEW;)`LiXYwF<k<mbZEHj/^:Mp8RA"
    "f$,AE6n&tqmbcdsI2<0g$2e8lm&gY1VP0_+byvZ77@[Y8ahH_QxyV1uM(01^OBYT5P.E/KHC)Xckogm@)gIk7`&JTt"
    "k`OgD'09g/bmQt,gBLo9i/#;>KKqyPtcEs<88v:S$sAD`XIk-PstLvc_EEJtb+/$ManU$u1BBkgf,AJZ(8oNpTJhVO"
    "Y9'EXJFw(thA9PYn/FYcKokT[64U>mR>nTB$6Of8dRt/(iWumX-4xYax3h:=IJ.H9o5=P<l=<_m('p-IYm+fs]NHB#"
    "(&0j>prc$pNq,nfj,go^ewpsi0lq/UKG@2Ki)u>>1.*$S>&Hj@(-OU[E`r38;NtS'5Ta.bSy9XeQ^'gYco/[wQ]9:v"
    "(Xk%`g]Gm<incT9,>2sGT(qc+lS^Fw%Ov;vZ;'qQy1&aa*tAcGhlFFDJX^RVdg3ppj@IqLJ+n`q]N>nPSCS$c>kZr'"
    "q5TMOJ:p8;Y7E)MU6ufVT^orn>0gt]:A;gQTj^/KID7lQpR-oH5TDO5OBxEGelI%mM<9bXevi[t4:#-tb>=m2q[48x"
    "y7kRvtI[Cg(.7w(G9ucV_HCok]Mom;X%AW,Y4Va-Xi@t:FJXFhK+v=v[m/Ed/AeNDFa[8jtRtZ2a8#>rV#p-E-^/d/"
    "GJcPo)^L9P5Pj,Bdy&Lfu-Xh$HA42.cov9-]5%v(H0M&iO>+'V^I<IsyF5P7(dHr'=P>R'#eXmHIYX`E]6M]X@Oqf*"
    "=*s+bt7)0(C:vU%&28L`A>MD=jD';&rD>M@u*2tsS2X0Zu4d*GQn[+)(n*6cCJ[.4iItf;.j6Z67BNFJ9HMhmXA2gc"
    "50@>qFeo/Z.EUOZ5;RRxC]v:D=8xg#R;=y:`JjAi[ehVY:0>=7N%kH[$h.X`CQ`@i_qd=bbkLZF_-<x4H.W5%A<fq="
    "xC^W65='ZNk-TpU1%%lx=nJ]YBpnY`E#kO'btXNE)C<`R+/2*:.Gg4Ig@$+h@'Y#<jWq,V0nb5QKgAVp5Op&e9N%%r"
    "#12BgB8ORRSc>W76<aQY^N,H7@iy9.p-,JA,>Pp]$(St&oi.mL)eI&@)*L]-diPy<brWV[Lij]qCL`,_3(9_Z]kT]E"
    "Jd>H7P)-0e`_kLvjM5O(T+8lWC`GVrPba=33H&Avsq-^jp)xsq8:o&a^VGtcd6iVQQVAZg03R1IcToGE85%fC_M$LO"
    "PE+Yq4xiUG=qZ=Ba<UmG<8-d,_xBq]R9UK3+JeWTXY>>@mBw<4+v.CvS@$<,j9wl>_)*xf^Lq&CsLHnJ8xH5;a'_q,"
    "70D4>r54MkSq)-PDwVkxs#CVrU=rPn:CfQbFmXAeC=*cUi+dHN:t$yP'3#O61@bPHO&w,F4e6i_cXa%[badsnxj`b@"
    "W,nQ'_R;DJB,6%=TVv1LpQHp&nUJ&dlH+N[^^Iq2PWlY4M'Pkh$uDqk,TSgfSc%X+e*[;RjXxtbH40'N^_e`4@;<(`"
    "US9OR>J[-19rBjnK5tKRdsK3oyVTevaO6]ocIa(hY%/NR-Tqo&nCDRS*VJBXu+1LWZ(MAe[@ZQ4=yZ;Y9pqyI><Hj3"
    "aKR'f^0-[l`6_P=T'Kf4N,-4*x'>Kk;)ljOIxG#Y%21EH;E5U=L_NDVI&b<*D9=s^ELm[1c.]8V-`G$CG>#wkW@Ymr"
    "3:k[oB.@=at6c*l8(Kt<e^NfcQw2eU,QHkE(ljV2^agc&J.Yf_O3yT_79p<oNxNBmqGDAt:>s.teET;YCZUFj%@Gx:"
    "t^g&FG/XhydSw:QpL;4U[/qfj1`,Y8kP%dUH)$O5e]ArO0r($Y8*Dth:+UxV*80]i8>v>I*=DO^<[#I/GXh`x)1e66"
    "y#Ji,coKVy@9tTBW#&w[x75tF;T-jm'u/I[:5[sUM5Vn1^DO/ZBBNN%>XfgOOH*8PA^Mb-BX/-A8/->LJM&*o[D1N."
    "U$(<BAEN%+&6L4sdS^9mhw;Gi4A-E^fI`L5kvJ]VSmFA0iWByDRHr:o%$.nF`^>qd^4ctyF%50-@I@aHe#[/hA:fm3"
    "-udE9fxj10eqTN`'.D3^5ib(/RFoO+D*3osRA1*y'MR-a7m9y<kiu2LP8`@^562`u1=&XbJ]Wa.m>krv`xrMu&Kcav"
    "ay(9BY+].POp2^%y4,fG3GqNPx,O$[XbN*WXERe>-6SN0_yk8HXtC1WC]1hI8>M@:1'^EfgsWbtc4-y;F5AK#pJa/R"
    "Acn2T)Tv9*JrSqqtXaqwi$[DL+&SRQGp6TO`w@S'KnupVlcis()gH+S+s(/,jvVf32_f&QD0M9[TnWWaIbXI^M`bUP"
    "R=d8Q5eV'miQXYh64LNf+$D^o@%4TKM7n4#iUAjfepYVvsL[wnj3nm.ZU)fSeJJ&GQTjVgt$cgf^#/Eo4d$6Pgdtr("
    "Sn<<8>>)yGB&0*Q6`5j=dJgM7'@]7VOa<]J@Q8m[4db8dO=&Ha'P@eG2l5Vg,Yvc0j.`7aFa,Rx8o5HW&yUxUZ4>/."
    "j^>SU,Z+GZxg2=QV)s;-Pcf`X0.hn;bvJ$@yp8o;P7@[haDBlDe2$M(Ay^EIXQ;k,P*(gk>If+q`ylqpRV0;(V9&gt"
    "N=DbPxhWkp*4.RUI3A6Idr@]bZog;I.Sm_jIAt8T(-(6G`ZlMRctDJEG8^JN83nC<n#^[M0=4Z$Vhq`e2AyNhEHS#<"
    "2Shw:Q,m&ly<emYcJ6DRAlh1Gq7DFMSQ,vr:nUFaxa=&9+Z%AMUZ%'RJDWROGMp&>DT7hJmPTHT58mBiiN^osL2:2]"
    "$@pLeaakjf`++)%Y^1]HDj`qB'jOyaN&0J3`'Yl$VKm[M5cTvi-`sN43w<3lr@$W_xR[FOBAa)nI44t**<fyZk^LS_"
    "TyUdrIDC`s)v;PUL;R/eW1gIySqagBX/$EZTIh&ZNaW@W<y#p2f]vpMh)&0dD&hL:tprr%#j7v&kGg2w[FnY:5BPZ$"
    ",.lco^Kma:K&t)oS7sLbQ-J<ADw>Zp%[qUn'8G@:<^lx@7[/_:2]`K5b<8ngKu5mAI>6ASF9yAR(gR/%LyFb:VM<W3"
    "neIQH0@8_9P'>4q@Z3([8'h2RY<aCql4:7@pCQb-]7o30]B28,^5d2hbl=g,ehoAQZ$sWV1d^Dq,y[%09O'L^g/foh"
    "c=&>rp6HSFJ>K*-qo]p.EKl:(hvV#d*i*ctslTAASFnFS/$g0lYm^X<D8'gsPZ<:c/tv33xsWZAFAPHg@=7ytque1A"
    "]MAVdff.Ig>2vMH8p8I=G0^'J-)QZc]xV(+o4.1Rn8q`>gw32S<#K/*+)esqh^kp=<KCnjDl0adbX;$OWs(>@iwxkQ"
    "1_iaxU67r*'T`Pw>LkS^pr</hRGp1Ck+Z8%I^(7]@%s#,Mc93ia3ka`ff[=gTLh[W.#J`i[hRfm]xVU9yN'`h$&elN"
    "025H5Y't)y1dhcII1i2ixkbg=BE%ppSsXD*H@=tx+f:<7973c)k>NE3>)8iRu1`Jbu/J2UB$aMvI0vq$;62aW0s3w,"
    "A@]]_9:9$3%:9(=8kW[Bk5V,3'EY245i,$K6uJs_j(rp=IAj[W+qo`w0D9`:it<oK#RT^v6Cnk&Zw5g3WGDEM=mHK,"
    "Q$6r<DlmV,(H*IQ(q$y'Y8i'/TS+>6O4UE,=g(#8r;/RWn&If;+9cQd_Ha-0(tmkTq[r)4)n;pv(oyi]R$)U;6#*Z$"
    "Nc*j3xBiGwZRXDDhfM^4-j%Vka72IBE/K2)+SBu9;s'sqWj<OEkEXaame9_)1AX1rjy/K>phr&2Iko<Oht<Ts,El#b"
    "GK/di%Xn6A]'J#7iUJ>PFRt>mXa_<B/tEbnPq3=3+_w2,>>7HnlPvE[Fii%Oc2hZT6E+J6&Zwo6U_(KVf.:R%]av):"
    "2IbIeFFK>b,KGE%Jfw(<AD3,;JInXUpHsJ*:+I3EbG=JX75=qm&dX+yn1(qaS8Y[K#<ZE#4K.2ZkG0nQ@G(m1B&^tv"
    "]4h-.#N@:33r/fU]pMNG+Ys=+l)<NZ8vP[#m_tf]V>_hTB7mMB7IpK@oB@TC+(dW+;F2T;pNC:.VP`&'6N.H18=7ky"
    "rRbx*iui:Ai2ELNB10Q`Ulv^FZNe>[.-wFa&PCSb@GR[1mLnC'EAWWt]j.Z+(sOqsfXM&Dsp[1xs[6LQ*K4ek*D5eM"
    "e*`0HSoR9hkwFS90Xg[O.x43`pQx9mKhDy>OMrFyftDBi5#IMa/OI8Emtp)5r3(3,_,u%)Lwa4#A+;%9hrVlRK^PpH"
    "HPKQ(C<Gv2lk_kYM9*D+>rjqrb79JMYj5U37'7;J/rDf*bxKH.7m$68@:^Kt`HHc5T7LjK#XU3F%EcSW)Af8^<0y:("
    "PF`O')##Ul6Gu8mToZB*9FIk(<yV$'j=@MuYDRf=B+[O<]g02Ly)G'xMuPnXX_Uxed*0w1>-2_>d'xcZyTL/$^&r+i"
    "r*l*@eE,R'y'2b(Ey#45]jSG0KF(j+o.$_#tUf&h<Vubq^GfWEf5W>9&OP/5'&HT_#(TV'$=ex;4qS,eE')(>2HOT-"
    "^0nenUvZWV=8.,Gs#-fW98dq)h4b:_:C1ZjxVYY+qy$>jVEP1P+J:00E]b#fQdH2<'wt[.cJHrFelLu:7(LXiYYgN$"
    "$`iF`KdD$/-qZ_.$&L_uVa]G#h(TPrUH$2>K9ae@588k&.F01)%NcWT([OIYiA$gE&(V%C;$3s=k/Yg*fHDft5v$0("
    "raCtU#V8ZS20()g=f^nDsQWK9M<iPtF`C8l;S.TucPpTo0_9OJl]FD]NfQ_SWjb;=in[^,e<hqQES7o_]ly.dHl:vL"
    "CHwlckp:8jhS[86PsCkr;;4fRfd@1*(R*^BP3QAya6I`3sMJ]G73D29]#D]r@l93#;MZ[(7s(j7,O_S#/li..'CDke"
    "7&%$pSYDw#gNKFi0j0i7_k^)Z7:wvE$h6ei_8q+`kGr>XM*5JW6wTk0&'vIv3P;qBf*=PI&gfkv2#693heZwI,%ot["
    "tQSAx0F=Z*)m1<h^k%h)d*,X2=Wfu$.h1kwpH3Crl'%NDN[XqH<8fjI_B2)RXL0P8:8`t4fX,s[UsEEv`)JSCV>FT7"
    "OQqMEm`VhN>JhFb4'1gjU;Asb(AiHAeljj7e38d.7:i[Jhp%K(/^ecVx$NjdeKH4]P`mn_T92r>S58Bp<Fc[%JbRwO"
    "89J'FcQw,1(69viasD1ei==3`W6__QZSB_<n&kYnc97;bdH,'uA(onLG33X+%42(q;<nH1@kxEe_xpWLEfCwQTfwDd"
    "Cwx%3m'MQ*O;x((_,Y2$V_;oQ6;dXsWimY@7axp49*7e'Im;v3cYhit@>lo&-298v_#$sN&WOX.#ogkbf)7P`x)4kj"
    ",.ob;m9e%OjF*4<d-5ew7QCWABxe2yFNGHMT*km<t+1NN7N#umUjhh.``T:';$pELF*5/J>mk5^ppU8/hUU#CYgByi"
    "sbs[b`'lZ*NnxQ<Y`a%AVP'&y#5xf_@G,0X0^lBmj[hEZj*nn*@'Rb@A<E]rqq(G%2v[xsRypOoomr=J^q[rt*BLi2"
    "KpbcjXFhRY.tu3I'mVGCb76Uck')9Aiqs>I.XbV5VseV.[OV%$iViqJ79[u(MheGXr`f==o7v7('B7(pqQ*4@rsKhY"
    "LnF]sVKa;Fx+dfpRnI'7soY&x+vwl>h=n2D7;LpNY3)+Up<A5%8K(/*5&:DgN/L+d$`ei.lVr205`6>:<BJd>I%he#"
    "6SE'T$lf*s1do&qEnuM^3>Ok2Ab2ax1]obL73,SI[*1yS(/+,_x4',K%tkj<8(;iFG<HM;2V>6fPxlu@79L#E15)J7"
    ":.&;C%9OdC/_W'2QNc7nHWjYBAb&,u-&_&EE/Z;A&gM7N^]YAYtURmS[xtm;SkkhT<NnjN-Oo72MY&tN>E0K3ouwiX"
    "&%Nap4wrN4[Edo_4fok,.wQ^bJRFLHK)y[YJ&p$q/=2VQ_O18*^/BG]3N]Mg'o^U.Jy4LwXelk'iQLByAfy8m,_Ix*"
    "WVdrhGDqM0x0`:s0di,,9A8GNRTf`wDDX:QL<UY^6E<PCJRBYk#K9qnt<G;WP=X5XiCL#mnKPedAI]ae4E$4`f9O&W"
    "E2XI@://0p)SLD(J@w>H.(^cP_EnJ<D)5(1oVPjbk#5F4PYiBPOtAtHeg^_[^xcWbEiq1u)_%Z--J_BlrArQD:gE5y"
    "&f-rW1w)M(.a47T#pW4@mr=(DETtl,2jDR[O9*vi&MRtpn8iLWi(c`+Ur.M1pugj<KN_F^)h5EUPj>6%R^ch.j`>9/"
    ":HmK>AYB3s5+f:Lsqiyw72gyT<_I@*e`Z1E,;]xw4_Iop_xkLv>SCnV-oG@;<8ijtSSwOkxD@yXB66RUH9=sUN%(0w"
    "0l$4TBl3(>UHvk)GQjACftW4=V&rv%R:]O_D3ZKG@oNvc&[lg5aP+@Tqe&;Ar$;<^ijqtq_RjD]jhjB%YXepB+^Q:I"
    "23EhTt^E#2,LR&h6+-CE'XChs[p04#H_E]E=)@0E`6I06T[#l^&1>;,P/^8dNSAe^k.aP#pj`(jH#fq,kf[<kOl3&D"
    ",T,O$tv01-I,=1]Mj0TTe<rNq,*UVNVJLp,Oox<NA-6t@^&yJJHM1VhoDVK,8N@e3n/hv#rls/)Y5,ot-,^LsXep^R"
    "[`u=O0n*:0nkKqG(dX85O1.mS)ms/sXUNcL=kJK'2@7Aw8m$_N:r91_JdxG7p+L(m0a5/ae1l(w0&nHXLAf($*WP-c"
    "%sTX'[5;]oo>q/&gK&`F>AcQhVqp+3[_Jd>(>v_`Wqp52,)rX2Df#/0S^G7)EKN<MRCWAB*OUs'EOW^+CL8Y,`+^hM"
    "FQ3.V0GwJAqKhG$c*hV$76t,CqSjTpPc2J*([>s/fm.)<4eMm%FL(_5sL1:`VgBE=;=IsWjl[[@Uw,s/8&evAc;]<r"
    "2dG6aapFrj<F61n7-s0XGj5UDbMDQ$N]wq-/[ZD7QQ226Gjnt6Lo28.sZW[&pX6yVqP6Ks'cW<^&SGUN`gKm(kSa(O"
    ")m;T^Fl9s7gBl$0O=vHb#$0k46+Zr]c9riJaL$8Iu$).27-LW]Ctm4,^.bfe>>JwI<JhoFe'L-mbtFvxxxj(/UHQ^)"
    "R&2F#kDceUb'OwW(neb;2*NKU)B&74Hi@F$JpwUj*G3w;XmNr_Md3vk<6Em-5P2JmiZy=.U`1JWkdQ%#c:Y8a3RLoy"
    "6PV'/`c]bXY[ttJCHys7mt>OS+pUn*hUjGo2=Y^O52Y$nNX/SGGvSe`6N2(rIfs)9]KW`q]<*OM/toBx=cU;=su`T5"
    "f6[xK=x/N*<#,*NB`s@-&b)d5AwcVPVV-#3`klYhTJqt1[<YkdNqiB:.WNO82$DA5I3[Z-2uI%mMN4+GL7..1H7yvA"
    "14)7rSeW;y]MS'NX.m207u(CX=.+uKmq``$r-/ehe`mnvE,%1Osri'shuAR2=jJTZu&#d5)OoMI9<bdbCO1,s,n3FN"
    "T&^$AEl&`iSo>Njx.Ao><Q<Tse;RTV4J:`9^q7y&$8*eLgobt9Pvx.E'c5a0(DXUw@/&&5qeCO*+yFha<l+fROyXB8"
    "MEG:#&.)S>RWot.9o'xtq^9>Qp$ma:F-o)MO@wqyxdebqp`sxVMh]i)DZ:J`S<VJ%#Y:qKYZ#M=-5xo]Brv>9D+Td$"
    "I=xPG8I.Jj>O/)&0fI/%tVg+g2')s):1R8oPl7#+W[oNm(wXK)^p>7/.m<RDMpLB4EGZ#/XP`3;x(tP(KF^Ig%&&qc"
    "rZA=&2cQbE#FB;)+$-)VI#TuxbNcfOEgVons>]j%:0dSNeMu83N4tq4hXea>]WLIH$7gXn8u)i4[,s*^FC$qd:bMlv"
    "yk,2nmIZ2bmJB*vtyZ-WRa;;W#5AQ<J3pRX4-@efm'=g':45frc%4ClQeI9sfT:w9:%j:uso0i3+W1HnO%JVW@yT5x"
    "3MgF[NF(7),.d;CY7t,E%-YOYKd5MOyX@76r]v'CaH569Q`tK+Sr/LdgO<H3bD)A:D_chRSrEmybMa`>fZPZ1f79$^"
    "O@.b(^yA9bsG#S^ytvsniA(3x=Y.RbJLum#tv3Ko&42Zv'mAf-Y<S2U$^Z1%dI,-:PKinC:'K^h$GH63mYW.u0o:Vy"
    "^9t'1:hi2$yOXN^G9c$Rl$FyGt';.kp+V*I@f1okkUp.a+<;$;1BQo*-1Xu),g7iLX&Q%K`Ml('ljtnUd<R8/<MAST"
    "9`xh1&Zh<IZ/orbE]ql2NkWP:ymjyN4Ie(pndG/N>%5qqFTg7`LhW7:b[=g+(oaoBRD'i^K:(+Ygg*Wx(`ga7Mu_d)"
    ";Q09mhKk:UIZk6pT:E)]SrC5YHd#)[fZ)7dbViv;D'[*Z[Vyk96(yNZf&2ae8)Bf2opW%_8Q'9+iDg@WiN.(l,;$`e"
    "`PoRKG3qOL]LVjnbBK)NQ1]]t<YcMPEUeUS-@xZMg^H+*kaPZq/AI,xK$xLYJP<]'IY.IqaasHg>JTwulV-iGTd&J4"
    "aa1a-PQwLi7(RwU#AbKLQJS``Q0&UpRci+=X]hV>*huotrM&7,25,1wEq5NH.%fkpxF%yWSKH3I^;LG*&[D;8ep=uB"
    "+[wwVZB&UZaTPD&VKQA4F)Ksi%kP0/T&,%Db9Fc>&q2Jw_8s6<EOtS0fCsa0XBIq'Hj4F_a2a$s'N-FBn0Ew4_>umk"
    "B_r:LPkXSDFiw;H&TFGm)G2RkDivDhbYU6j7LpciKFt$pNMs.`PNGn,%SjX[y'%5y3vq8o>Aj2C2o(b1e`#QHW#Ul4"
    "I_.7MD2Z<[Lh;V3&_:[sh,HP[*2V96n6FY3H/xk30@r$DD>c1ysm$-MYmMY7CTq7k:)_YYtd&rS`O9cyc6sQ&7Y,,4"
    "JyyxU)a8:R7V;fM`nC,IUp,+@[C0k31G1V^e,5&@31i;(,@5&n3.%/CQ2y4AhC/dPtu12+Br-2TQsMMFPE^A-7#1Qi"
    "5Km)@sSj`x5f'+hONOLF;I&q+q[,b($w)Ds>5<Y8qT<EOm,6&H2K/+4-DRCJ0HA^61Jx]#c&1fMVW)e#+QPl>/o%m:"
    "OMKFgGm0AMS(l^CGl%)(m-KR77/2Q%Kq-:an^iu[90eoKc3+B[W7VuveQ$pq@V,sD+E<cH,3&8rOfI3sM9>aj9kpZN"
    "_,<uS;U8=%awAsvNg-t]9Nr5xRGJ1-.GFh//&n`jPljLgWPNu*)H(Wr1j5YtoXqZankam-HZvdUO-B;],3[e/<@HCk"
    "T6VUHP6'(7<haq(/5:LR'Qe-<gH,F*]]RI+-eyar<DojA2LM[hX=+9Ohol,wW9NiQN+_p1F4*lT6jx89^B%:+W5aM6"
    "btOv>WAOGMP>vb.c:*v#S.`ae9$Q]:3157B%)T:aZWMM=ef7l#CH+W)ts/YO_iAO>dFK5,29w@Te9e]U>xP_e:q;@T"
    "pnP3eLRZXxPsI]u#wge6[$pJ%&>,`[x:>2Wq1TX8rdtL@DXB'o_SZ+Gqc/Ff5#U00H(]pRj*_3=faka=x3=3J/Aj=p"
    "=w,u(l(7xsHKKe`kCFL,Q:j</-ov8ghaDoQ247]S<G`5Ths&b,1DAP.)h56s2HF,l+l2wQgu$G2GA.1xPSn)bTpMof"
    "LwjON16ed4k:-sr/;QFs/A9g)XfmS90e,Ia*Qcv<>-&][2pisd1T4C;(7GluU7<c9i$lM*IDv)jMp<tk>I]M0fJx3P"
    "y$SdEpW,y.E[5Whn4l^c8;;kFW5S%Kl+I%EU#+_PxL`qml%3Gx]N+-R=-5P,:D7reafo`U:vBPLJ#xiM#9ZE#[X#Qx"
    "Kw/Yq4A[9$ygGrND06C/U]sUrMUBBHZKTNu_j9aD)>@W(=k-^Vf9JXs8hKF8r0y1c-=OQB:q#_vd,EIj+`G7Lrl(WZ"
    "kOw.9xa2=%=Al>GbTm$1hEsJ#;QSeBK9aI6E&dKMXE)V('WU<;VWbGjR7iUgu(&0;4bVK^aZqh$,9g$3hTki/-)q:7"
    "dbQlnE4Vly]KiIplQ@Vx4R7)ve*QlMd5O7Y)B5Vw5[bh:G:M[EsW40.[+GZgK&[,;Gvc#@Xh>pxgbaoI,yh%u9Xj/%"
    "nG5VL8pSV&'f@%dI<8$-CX<f[&ZUR+LF-%F;Zlj)l)ceaqpLErt`>iLtdUa8*_1J7:TsyrK9>$AOMv)NNc4bd*TIv5"
    "Tc'Qg>>V-VO<J'h7RF.^C`:0Mab>kC,0AZ*n@%l^rD_>^t@WgHd.;VkSMQgHYuNM&YJm.8BJWpEh_D7),UJN$B+7oU"
    "@r.+OVmD,66=(hM8dGh2K7L*uHn]o4h.5&s]n<GeL&cM]slk=ai9$N6`WeI>W_8<_De:-Ej6dqkx4Vo&xAIH>7e9rt"
    ";6)R*'jiF8xw4+0:0ncu<_xj'hh[vX=tQ0vNTZorLT&m)&.]u_<Olgxe:vH<b5iZyP[)Kw=,m&caDnk(5_Duk9iYS'"
    "2'vM<81K>Gx,>,J3B>HNICm;5yBtji/V2^&EAy[uT/0,u`8</'pB1&^`A5d-Z++BTLmQkUgDeqa/fOL<&hQ],AFWuJ"
    "TSKE_iAPjSxwAW2[YvxUKMwE8`u>pd*$1EI`iG<d,Y0;ptO[BgT:5uvad:Tn/LU2S*GatGs8K[QSv]ilO/djy89>D+"
    "yT-8T,%-7:8)73#)x/^sW9RZ7I:ViBx<a)1Yi#/9/tq48T9-8npg&1;c_x_A>f)a+kR^]v<ROb(sp+Qg4$Krhlsrn^"
    "q5+#Z92oLibR[4b0e#uoHelQ,>1Jok-:<6qluEm`xUghbg=.8DY$3S28_,]+B3nu2B>LxdhDHyo-m_m'`(7&LNuyqU"
    "u72DGn3mbGu#E`fttYK)k1`E@<0I*Z+,q&O:NYhLj$(SQJrbxeT_CR#(OLvE@Q+AN5YqCCpH[%tZ2/E.N6U-YK)s&r"
    "7*$WD5c,242]Bk*3*ko#WdHH^[C_##t'.NIdAAh_p`.-*ZcnN`--8r=&oqBhd&G#aa=p4Ei^$$9b[]RD/oRSVR.B.9"
    "mHhhXNdIc/X'^p1Uj*)xL3nC'3opI(581ZJ<OGxSc:Ty55;=eBU(T`#L(`9bDnB+`JsVAcO&Ns$4^H]FQYx3@f/w#C"
    "oC;/k/UZ:ZV%8i(^Qb:=3rcNe5D#vT:BHSqE3f(Ygm%Q-Hf@F7cVfOUtALX9bc#vKJ7Fc@a;y=RN63O-e+Uu#=6kx1"
    "8bvA&Y:kXl6BI2B*_-G_57>_=ajPHsh*3(e->AYB[P66f3uBP1F661R_W:TYAi&<*#3<$'@(:(w<-ac4TEnf4g#>87"
    ";ZZ&1Dne$jmEdBiE>pBy<A8h<(mwjlow)RN*@TL=K^A%3`e&^Kj=vp/3pa[MR&1N(:3RaP_qe4mP;qag7lTW['t9fJ"
    "^iiBVCVI6m0`13S`qH8(dd;7>THI<y+:(oR_Dks8,20(4Co$Ll:fJ^U^Jr'ayoZ/o/u^$(TAmeSmUAD:=brp9kUq8)"
    "XF(HB32900a@i]C-TS3i.DsG>-CijAqbkVK*tSgm9^4_/7tFh2*Z)@RLKoL5jcarpAuQ7bIdWabhYr1pkB)E'_1C)o"
    ")hqEZa>CRr`Is>2fqw[3`/M5((jGhkZkAB<72n$MsvrWnU=%iUBli%u8H,ga9W-0.X2>*9g`lox[Nh**sZcWgWBIgQ"
    "k9IICF<C,'F&t-b>fwD*7OpXC'q^<0MHbcD=Ap*Qmh(x58XhGM+lpse0.P$WCCQZdT=k=+UG#p-Vxs@+fB:uK+x:IC"
    "A,Q#<tvRUE,fAyyeT1cM6=SI$jWeuFdReg3;5@OEUD$YBn&R/LEfC*RfU:P_JV)-/A`B+vegBUXlAJs/JRQ(fHLTaZ"
    ":.,U,6KdM6_PkuN2%K'+CJ64AE9d@3l,@5<Qrf$pEy`FK>ummYsB:^=E1Oq:5:,/cE8J@-K<Aj&'Y5gN8)=^hHB#8-"
    "i9XHf:t]TMVk&*qgnVXY&A#U<kESB<BXm*SfhIdEx*SkWRa5>>P6<j*5eM)Qj1buT>j/ENZ+y697O&vOeo%obT:Ro8"
    "$v)nmx-',akHX>-BdtygqM=[qE(#T>l1#loM7-R8LYv$RWFhm^suMW<s-^ah;QX11CA_`HM'tp;8=#bK]#Hyl7.FEu"
    "e6k(pTTA#[Dh=u5YDAoZ0),WL`$Ea%,),uW%x+EKZAM%fiT$_mWt(cZ8&4R/.u<AEMh$5ha-id^TU2Tes7j5W*&)xZ"
    "#>EkDrxs4/&Axvmn/5,0s8g&BAKkco@JMx$e&LeSi9]WgL[Ya#y9sMTgdx[Wnl)#i78wn;PRH(;PGqbL04mOvn4y@B"
    "^+$S5l`,U(TW@-gnuc6vFR-LfriFY$KeV*GP0;OsheM7Pm_0RFo-FZn`BEKl#a:ZB:D^D+mS2P-L+fU*9mDEnDibPW"
    "7P7RH0J(9:N<d-7$Kw^vpAqv2B:2^_rPu$vYel+Zyau;rRK2UfcP7ayHAq'by<ZE399*9y2@+vdo6dNYV7g`_1)_0U"
    "t$cGN]Jc9Aoq_xaiL56W]^1uiMg%'['4J'w:taA.;NhkS<KqFnhM(g-L^Eb#H#%^C1uQ*c-S=Mj#Vbg;H7Gl=Q1:23"
    "pi^d53^'$or_9:WQ<fdHy1Me:NsuQ,oADNI/idG+D+7,u%HEGx&x*4,D--B9&/d/$y+[k<QJn8cA1xy`eA5nD`-efQ"
    "(GUOixL_*]cR0CIJ5`cn'1-0Fl*uUw]bPWM<`F3:;8%<Z8S%C[Q[,d4tGc9KDBxC%#x]4RTUIAA_a$gfn#SR8KibU$"
    "m)ZrNDFrYtrksak/R#;J$JHOt4[NI9dT5no7I3X$QBDQYy[:D&cXsug)ugOf=530=AHS9vs[S:yK$u:eyiZt%0yx@U"
    "o)'O]`OABXu6nB-%>>(%tfs54k28gtAl4UkG_SGHh(bhxK^_Abbyu:S',hyNqcPYw`)*t]`4q>)L-#T(/#EoLD%T<A"
    "-M52BiqQmPx2Mq:Tif%KrJROVpuum1mc2V[6yfZe1SMiY:XZv4l8Nd6`2[:*XnYfy+s&qUQ+2fKA:]JbIuP_hj::of"
    "gW)YZ.U/-mYo<Mg)sJ&FrSQeyh4>3Cm>WUgX$@y3<C742k+@m6jE/rHNnot^IjN6Lph8m5lDATY]Q3NRDZp>Vjq*QJ"
    "*(DxF)U7%;4cv)(GC-;h]itTr`bvmi0>ny&_%bg+7X0>B<DNHLU6TTjTvj,lYm0$1ahd$Xh=ep-[&_u5JYnW`JO;#n"
    ":_-Y6JMl9K)e6:;UG@o.[;t<w/OaNeBj0PfUIsF_'qj)`VuAy]ZG42+:sYT82@@aYVlO/4VMw<J4lUe`4*$/^eG9_@"
    "hHTk76j`cTHkI><MESjaW9JZ&[o/2/>bMe>L>$6^_fiRcu1k7:PaSy=a;-Zqnyw2[GD.qcjU;NHY`Aw//xiS35lVk6"
    "0qm.Q*qjqUAR1+kAt=[pGfjc+/L:#]_KTU12ok^G9(jH#JcZ`A5Tpqxm1:<8Zg/cm&(V'YEK-kttT0Eb>a8,8[QBmk"
    ".12lEoc$UnnYQ)pn9aI3;SlpW/447ll+tGJsQ04phr$YRabF+hqO+x_DcQI-3/*742,4V-ZyM^D=#J=hkLNv,ClTyZ"
    "[l2^rIsT`JgNB:*sBQ%JJbp1Hf]25P_vFs'DB<6$oZ4O`'R)I;qLrDhVl.U^1F5gZ^A-h:0i&srqKOJ=LDA95_6>1A"
    "1kQpTcc>@.TAWE]bpNFFglRrL<WC'Y7KPAF8:-H7jt3n9'p7f5Dj)Ffe,VF046RC1_<[0Ok_X9HD->>o^n9&VPj[eH"
    "JJTc]ty8g^:Hri,7bwE)*@u_^#.Ce+@:HW)nq$K2/K<=M(*lPfC3Ol'&w`/xfFsRe:=$p7)w0Gva[fY+QgE:-7Bf%Z"
    "trrW86IP1sFnlaLH25JVh8krcA)-Wp0*;0FL&ujuE73'UY11&sX8P#n,F4>*+^P&4P%f26+eX)_HVP*m*E6MLgAJx6"
    "ULc21l`pv3Z8rN6ESDamCV/;UoMLM30s4x#ZZ4cXXw9iUyRL2H&XDb()07F6x4P`M(<EiLo/eY(%(F+P,a55M5d31$"
    "r@H2nmU8pY'hoV>;Hs]D&mw3CjTo`7c6Mo[e-1Qf:THn35*jqDP$58TbnJ)oE>8blKU,:lB627S_<<BE4i;WPxGBuV"
    "T]Bg;6_.Kq=SrC9KB&O5A_;W0SdB:)r4^5-oeZ9M`s6InKcA:fD))J8'Oe;k`-]b215]I8/0wBQe>tYl/AlLG01,25"
    "gHZ^a)/$f&52N/jXYlN43,HbkB_Z-a.b*IOUX'Y$+fQ-3J0Q#(ET5LoSR7'6<<6,tcpT1T3A8em3Avs<n/D:)cl`T]"
    "4u&jYLraV-Y8g[dm+NQpeZYVHiEk_J;mT5>g5H1W[PjmIq_K%H1wIIJGq.79g;oRS_S&WC+UIo^-)^dS#0,AAcV=gH"
    "M-rsw8s=lVys8BKS^x(pRkv;mZUJYw^LlJOr=8LsIlV/v*vC*c-8ZUwA.Fi]4)BWmXc#wIJxuRmL5DhXi+>qhisWex"
    "0,6Zu#E1Kio6PEyN[HI9XU]@ygXy*y3$(*<3I'';e%`6rsuQSv*f9p(-y>nEB:k/:;Jur[Un0o3FI4@O4,peS;Fp@b"
    "t<v2;NfN.^'@i*c$k&P<<f1b(O#i4RXM5ld;f45ds]h7ul^)wQaFRA`DZnk,,CZMB4w#-fS*Zqfa7gYX`2&DcCUoKM"
    "R&`u>Fw@g8m(%d@51PH^j-16'DJy)W]5kI^y=6L^O8M<s>JL25((<NqD;qNOs%'eP;-:(jDoi`M3H5Bgjo91lJ(FmH"
    "V/E5=Rl@ST-Wi*<hN^n]NmuN-amx=P]4+n4sPX#NnPj&V/O^35C:R$v,_1C/'.Zw[q:CUOPXU`W_MVVj`3vq4;>B+-"
    "(_PWw%$]9HK`:J%Q>&D-`MaENITlitZcjK]*CNK8CwjItmD+_^/Yr1stOmU'y;Msc@]@A-GanoKhaQF9l+v`;c90us"
    "je0n>[ZD'orMS$N8*pOO]9$RQH:7.v]Cv3m#.i[k0%[9w9L4VRX@eVrS*g<GWFpUwtE.E1R:WLWq_X'vRIh*FMbdrc"
    "rdrpr6)x3R0/T$=NAlxcQLgW1q_lm@)]->mQMWOo3Y$3gh0bR7dNP(.n&2V#(jUSX:$dCi2VA//&/LKMqa#9K$sxgu"
    "aFGU2Qft`G:csb6B^E4w/2vb8'Z@0YT,(m9T#DNT$:Vvu&hwN#AoeQ;sO2ah@1xDq'DmPC+ixq_MFpkRc#sj'6BR=W"
    "U9wV(D[X+]qBpg.*RrA&B,3ju.][G&L+.5>'j&UTI=XUc45j>;hiCyAYJ]^0Do_RO's(UAb:+sEeM#CZU8]qemRc-e"
    "2lQM)'5fAQgxv1wZ4)85XF]TNlI;3@[DHGXoJ`jV.EDit7Yd.c7=4'W,<Yq_xD4E<@cnVrf)o//ZR/]VyV;=1<(_nR"
    "pr%,IWc>XCR_x7f@5]-&=)*Y2>c.X<fkr,baI*y9HDO2%0q6)0R7#:oZ@[GfP'/xv8a&PWenW'=:k;8)6(bC*`0fqa"
    "Z)p>S;,q$joxCdJY#VV^g=(JkfAvIcBynL/_UbjO<FYutMt;eF=pBO$5,RMJ$P((>=UyS]2^6[<--Mc5Hg&=dEODX*"
    "lg3is2Ro8gQ4MS=(5uFOrRTKf;f6`Gx$lDf`&EeUT]sU+HvmNsc>xk^]6`'.*[wTQBUWlZY<MVtNa6*5K$/>o=C&-x"
    "GsKA8NTZ=q@n*=x,A%$'@K-'@U#kxm&HhKQ'ZXt)0kE^w(oF:DNNaEL#c>q.-=77Isf3qiMC_1N6,U%BKEWMxFQMg>"
    "'U8./*lsk[+=6_SmgoNy&jP&^<NxQq1)^`2.6DCSAwe,<-N7+BOoP6xP]4WNY&km1I[##&Uga&/*IgYUVE$B)&/xfU"
    "&,Me'H94p2rCJp;%;1^;6BV]:=<,k2L4_:#6'wKiDS(B>0du57B.pLPH'Y'DE49e8]'l:QVXc8vOsvBpe#C#N'AsjO"
    "t[1oK6I9.iI+C6O.f#]&e`M.XSO9h<AW@UpKJn%%]`H1nM:%w(bnC[>(h/uyi(#Xrt1p1H`gS;-f(.0tljweh[7Mn:"
    ",IWDnxeaMdp<XXZT`uXP/$(:S*dK`'ss-@ys>2J*<G6c'gqIs28gp^U`4e7$:^O7+'#_S>FYk'f;OI*s3L+9ABue`/"
    "YDLo]$@(nd2I>_jAWBXe,fgOHh6jQwoIQDQJ8GCt3&)TSDVgPY.$M^.n9SUSk6AgT(aAOx%hp9+.[/t_#LUIy-6dB'"
    "YL`PrOdX3[XJ$P2]`Y/c[sQF*0n[ZA:WT:#kx6`eJeY]-bEBXV`^Z,5-=,m3tfDi$KQ5ct@_<%1p4uqG>CCj26@7GW"
    "hiX.8PUtJK'OJi1iUcf+tg.xhm'QZ`gon2ER>,I,:KG8H1'RweEK`xstbe6s@29j%:M6g`j(M^*k&3k/#s%'nypGdJ"
    "<Ahue79BoB&Q0/y5pR`cOf-'*'EKJID:pM_gj1=1k'hXB&@_gEiD(kft6pxui`n9XfY`1#hCWsQkl_8T7F^MMeCi(^"
    "2IT;4LgVaBRjAQ;c@ddUAeE<ZM+0[fVk9Lar(0.e=$`O7ZTjdeX&ni$A65HVbiPU*WL>3w]/gx==qr>*5jNu$9+BC7"
    "d.X>N-(m<2sLyw=A/un%rpL4@IAo)b]FwS.tu^/i=K>a9oQDvy-Jw,Rb<39GQ/h*A';k8.0NV/rb<6G;5VBKtfr36<"
    "'a5$)&Es<kV.yyOs6hYb>%#1T7:MAE@P3HlQy@[]c<w)mN+)H6t)9)%a+'8&<(soxfUKnZj=U/'qMjx`,TJK,/=dk'"
    "^ZeM42336@UGU;W@1jxW^+PC`79#q5c4n216/un*$IdosN$OgO=E30Wb^7D=7i@6a;%Dk*>3Rj0O'*beCDZSrYDmWl"
    "m0w<I$g'[RDJn/oMAI7IbP'm/lUEwfVxTi.]3GKtfFON^_J'Ht>V$NM_E^*%^=S^qJNF@pWf=GsYo#0rEU_GO[hIt`"
    "1+F9sD<UPU*4pj^itjwZTgvC).sH%&B_*=0Yh'qy)lf30R<0vTpsR#YxY:8'B@6TIOiF2F<NXD5qwb$--vPmYe#Tll"
    "Z3Ex]B5pARg)EDK@qshr<ZNt)4YV=GG9DOAb>p-CL1uGZ+NhoPdb-TJ$<g`X6UtK.baq[i@h18E_U$9P1F<^9M4bs4"
    "*lJ1;ZlBk+:Cp;OgP5S6[AL;RHHRg$jH#BwTem_y>cD0BH#9jL/>)'853qUxH6@[3(1tQFl(g4n,.uK<nl34I.=&4["
    "^is:Xai^g>GE<cdo@oM7b3q=PI5x/+FFp0(C(b%(E)0Z7UgR(hWy,Jr5VnHsCZoL[CUcRjQEPYKHh2h;i4-pg:J[yV"
    "6qOKWF&/,y_a5*n45D5ZqT,agr2+]CVhKx=CV3(^hvw`R5Z;</X8&b==;2)paX.<4-88k2M$uIJ]:P8Gj^RG'h*H`S"
    "MBhrx8(CeOih_C6.1vUJ[54ZOBmYIAeX/3W#O%BAaUpOb'_MFJ%:V:]Q7It&)7lD.>V,bJk#HWsZ8aDgI]pspgxOwg"
    "I2DPS=Gnny$GYrd-kF;pF`2dnk)T#)5PGXvR^u3U^ald^d]OVKLfgeK6'^cN1n)xMn22Eg6Ex.ro`QA]5Rx]UF1SbY"
    "cN=xF`J0^WoWbXJ1)*`)19J>rYZ,2>f'<K4]Y+M0]5@^L`yK,5s-:sRW&6=ayhBGm^<EO1y')j]mwf)5<hRu0Eh;Bu"
    "t^X1:MsU<u.Ph%SovOWJ4a<ZA,BAZ(g&W>F9`FKw>)CMbA<kP:hI>ml],0;]3F&*RhlXryRYMu7$k>yK>&X+*BH_t4"
    "A$cgK=F:ru[CPT<YEk8St=7VS=&eAk88e^U2a]3'kng9I`rO4#_Oi:I:pj,EIPe_GBF1x((jm_Q[h):W86@=Zs0D.d"
    "..iwtxYS1rL9iSE:XBwo;ZdO,snU87-[AIt2+bf[/6wJ%M3k*J[(ZFj[4uHf3$wX15]hKXYyPxmRU1c^p,A<$Uicv="
    "TV%:%j;1w$Ki&7iu'[GP:r2LRIj-VAT%nHY:7Rh&4PFE[c6p<f$:L+5P5/euj(PYx$3fWWZ$seEni$vIO7J+kMWr+m"
    "_W@9n'R3VNT3K`8lW.4G>>eNK.<NN5(g3Nj8$@R,30PRSk(pl*texq%-%Ap9h-M4N@#;OvHPDduS+<L-ID(3$#[)(c"
    "2)L+6C^WFrZep>S<V2)4UI,u8n0[>OU]Y$kEj,m^RmT3j%HsB.VM7gOCXLI[49[O*ruJtmG1M;Jy0OAJBiXu1AvQqm"
    "@2qpAGnWi/eKj*Y<7jwasGAaoJ0y1^]_D19X'>EA2,r6IhStP^floQgxr9im[A<Fj(op58+o*0:+$xu$p9O**mo8'B"
    "KGHB=7[av^^8Loe6)1X.4Uuf/t2&&c[8Id[3vIn068>$vd$d,g`@Qqa,>wq0^BTsrm&+Kk7g)5,GK-</Km.X)gk#df"
    "];6+/b:;juE3)Eex#]%@8x(D^jwxN3jTpBX)$sS4i.[Pt&>kM3q+b$8n'yD`_chYjC[XNH^riS2J8JjZAfhKD@b_rp"
    "u#kKa4R2+4P=Va*DM5G%_cL+_4cuk;Zo7]=Nxx83UtMR>[k=77>*3R0O`,F2'9G7tBd>ZL]7=+CRQa.#f`*c_2x#R4"
    "5pZ0;p1)e85ZIJ5V%`1VZ_2Mn]pQ;gKv<nF844Ax-@2[3q>;/^BKduX<E[bdTfV']*0/L/WCXUK8P,_Vu5dk+HhBYa"
    "#7ib+4//M,p(;hTY#yye`/HS':(aVA(:r=s4wwe#DrgH<b,5#^MJ`@#(H<AMJR046f9TFZ5-xA#y^U3r4yM.^YQt3B"
    "dtcEQn`pVnaBScv`SOHIoI&^18(R$PBPk-8Ahff^8M2Oh'+i>-;s(Y2/jioQXr%Fu[j8]WP4PTiLbX=w=YIl$ajbOZ"
    "FE#<n-*<([l8FL[i0dlFE7c>,WY^g7_Qpc]^*SihVEoK<ikKX#eU7&Y#LG*c%[^>,.nM2u2JU1cjQ>NTrM(/^fBBX+"
    "X.BIqN&i/OW<iL/Mt')T@wTrR/R'm[tf(]AiFtSaINWlfoW++ZTmR]d=yDI6]Fr+Yku3o0a-tN([_hm<l$ivTMDh40"
    "s6/Cf@JeOYA%R4yY,NZw_:;PSdFL>1k=YV$To>/MF%$7*^UUwkg[]_HWNJrdMp9HoVRSQ6sOxY`8ICVDJ'9,+2`&r3"
    "t_(5>9i*B^K)POUp(9k%r$;d+Oy8sK);7;pZn@#R#QZ-61ssK6AZsqe0@RV]eM<TfEEn*jxZjrY9Ou2onH/+V6e<O:"
    "KMx6@_x[qk:KNuma-j3@a4fO1N/<3m-DVEZsB9xfcmXLZtQAD6&<+CjQy>iKhpk$JgE;F7i=$C,E'tZVD&@C^_4Va;"
    "ePMe-stv$4b.Z#M&`6^^4bKfEC2DI78GqCs6EBg1pyyCU+SF4@y3Tj&:<>/gmi^N#R1Femk26KN&d4b_nY4//s.X$6"
    ",>mfV,_h5]nI#oaBv_sBqNmhdAxeIj<(59*ogYoD6a'cW5tI+AJ,11s`_he0ga&]'7jyVpV@xvpBPDklK,#U'0L+9]"
    "VckAeqW[[aonW1<GPse^/-5$q$f%pOdGt&G3[xTkWm&('=_%bK]f#I7nWC90BN/a8NP[0U)%)F-0:@bMWkV@)''Qqw"
    "by<HD<a74'j)hQch5v(1yO$@I)niK.flxfV]k^,FU4G5vOd0@VL`%eoWxF3pMEiPK_5>EPnxaps=.h%8$G&O$VfA1>"
    "%vQ,3U+KpBewp[:ObDF&omIN^jH(5g/B:]hFg+sgpC2j74e3/Cc),*UYlW&eiA<jyJXU3R0U;BkU0AqscK19,*qFwg"
    "8dJ=WkDSv=/9s*/N&6j%l5C:oA^tWXENQi0<Snb;to1(&<<v#,x7.A[>nN(V;R4Eqs.oLVIH[Dj1*.fa<sPiHFMxE4"
    "bFt*1Thh8*kIw&d05M=lx2ytGG5(_4C1*ns%pE^QgYl>ta]cNH2BEu&8UDrfDsxyGL[+K/BLJYCsyi-=_SGI&x8LR["
    "CZrT/t4kR<WQ*-D2A0Sm2V[4_28(Y%Aea=,oV1%75ZAClFT*o:-5qNeOb<;Rmfr:yBa2<^N+gO++2xoji>F[nPotA7"
    "DV2&*eHQ<xl=B9_a2>PtNEe=)`DNg'.j_9U<6<jiK4#1@l8wphX#EB#*VlnThGP<_a2H'F#JtXhe%hlw)l$1JT_PGM"
    "CT*:oX)jln%9CMme/d6EFg't$]<``641hTBmI*5=O2$xZrCxNs<2oC)y%cb>OwYNB),B0];W0N+b5rE1#U<,[m&H$A"
    "@/MyH.hyTr)NWY:IV9Dbq*c'c'mHtX6Y,@K&/Y-''6mqISl94r1]_^J6QP+3(FX>b`O^nUIHmC5V=$$e/;($2&b+yd"
    ">UQl=f**/O*Hp'qR73s1lOWeo6Oqv`h%#rYiS;FgiVg<$*-Pg1eOq94&s<21hxP5p4<(U^x6vN)d3Pn5XQ6BANIO4'"
    "ZYfjh8@6=CCaI$nT:MXhLXB,MESr:Gh+gQT+$AZU1C;<ck9.9:F:O0@`X:o9kj3pY.WZpTg*KQUcZNK7#w%k/X':=-"
    "CW5/NDW&:.(Vt(4QV'6DWpp)XFR]j%13'*hXKq9#>q2>/j2Ro&A2+P$fWO1DgxY,Tx3q()5(d/5W+8X580Cm(Pj/QZ"
    "hZ84.hVnlZ[uu/)p][IdMc%[Y>v@5cBU8IgWCNP+hKVAo.=*.=$lGtCQeh=ip9:U)R<&iC0vo8,iat]Ay$M;RJKgyG"
    "pYE,YLqt:5oK+ZVaiOToM2m>/ppD1d`U+Lrp<j-U>g/MLltv[FP-'pr-s4L7kU[avW6.bXCQL^FkURohEHw.j<XZ/B"
    "7&;QGBtc;.o;n#bysBX&L%y0],$4)y'K42T97;3c6Hie;b1Q#tW`G[Q.hw=ydqrst0<d^^>On._`^pM_[TlI0tVFa5"
    "TE-$1iq=hn%l.G3]rqoRnu/>$PqM%WineFj0hE`y&-3TBi#h8^#_ZjKD'b;_ic.7GAX1eob8/HkUqC52c;Sf3eJ_LA"
    ")NFH1ig'muKpSS%SX.rpKXfvGm+U/M(x_`&][ghMRlc(VY'L(Ji3:rR'y&vDyMh@0p*QX<SS,i1sSfMufVdvv7cKYu"
    "yFIr_t8A4`-=JmEN5dT%h;.B4E-8qW'e^#ac+wn(3*y[st$c@qeGq`sTAS0jBp%%i]21Lris9rGJD#9rN1c=:/rM%i"
    "@C+4tO%>DuHPX(a$3VIaTT%T0,GY@K,sy//$r3JwrLd+'8KD<hCvx&e2,l-Gr;a9heusdJ&#&1_rhK2k.IOdR>w$*F"
    "mb<Wr]xdluDY5pNC-1<a*QRtoP8(488Tabc-'g'Rp*mVF7Y5qAaj*gC=:PF.&Y9=S98SrsNEJkfo^W=r+gSl]BCFp]"
    "o/@=ABoIo=M=0Q:yd,FLI@tAIZS5A4Bb&P8kCOZkW*S>(R:rE`3Nn6knv9U^j98sV-Xa#4D1m07WE&-MhMa##0<wlE"
    "1ocMgCc6Z/XT=>u;/lx-iHmVM1TM#K(nk-GLjeZNk%UQM^-QAJk(9xx-vUDiTkSG6eGM57OyS*GfVl8rlYTFd*qc=J"
    "S)U8)]g&(d1&ko@B:H4[KhFDR/Ryh8e)FK.%uABHamEa:SJR/wNb)PQUR4fZ(dQlLo2Z<6D54:b>1&rHSA/Le%*Uc&"
    "KI$T'F;oV/.b5@%<7;]UXv[Bhh^&;wF)r#qkyv`O-.s7Uqf7YNZ]]]>K05N'/c/WYlO$vu+6j>k_NUpp^^6,IMxp:w"
    "jD#B;c83%j^nBh76VGq/,0jsHh.($ReOwYFmXPCp&]#t,l=+D=D2kuf^j+#`@@W$`Mt7H:,wk<LfC)ULK+sV.+H2pO"
    "-j-#qKC0$%*^b4mi<.a4H:0'BGn<Q)Mh=($k0Wv5IO-8WXS-jrTVa1e3MwoR@6.;W&9yIpA=;6vFx*UMB+L2+pT6&4"
    "E_jA65tRj^6l6V;@5xxOK*p6_`JY.OCs`m1BE/v9xkl1@rak#UKm,=HK.I5^$C&72mCSv>j>r7rFT%/6C_u&]@ZWla"
    "ItwLe][R/tyo@Jvk=fs+A[Ecs[+Nukc'o&lV*p/i(&j_EtekheSm&'FnsH&a0OBGa+6U]iEv,s4:O$$asSl)F&C`yE"
    ",3[t>)QssJokFY<rK<'wnlJ_C&<xiMn^L=VGs.RXXMb;346Y*smjUWchGn/bnGtkBmiOU-7p8tjyj`VqYSBNmOy41@"
    "7%vTC3,uwMjP-8N5pDHfJnML-)>ZQSYSVuyDcC3Q*qnU&o*Ur+T7i$*@p*S;P,dBs=&wE*cZ>N-qEx.v8.14Jks>OG"
    "1)gYF9T/3KD6H[.<O)Uiomgq]t$sahoe(p[pGw42tfX$BT)H[SCn],Ug6V.PWP*3%W+U&xh-9B8aSpnyP4/8tb$f/J"
    "hX_d[*rqbL*X#GgY8&c'2mx'YAwqY5ck`oGd'$/ISYWXGaAfnh;24a(l6CFSV]-m%C,=ay[h^mp6_fjTJ)9'D<#C[B"
    "&H2DL`v-ekM^'Ai263y+.enHE_X5x@8[FSJNk$B3)HJj;A>Lpf&+ieWf2pp+%r,X;YF]RsX9@^H'%9,5;TL>w7maIs"
    "/HA3smpW@c;FMl@LfmLe*dX@+JF9T:=o<ZVPHVKuL%f2+f7T7p>[Fv`EAB[:F'n7UTV`N1Kl,UOPpPT$2yROMPo7U,"
    "K`l7e+X86J/awv42-Zf@qiNH.ICelMQ]NA%MwG6Hs],SoP-`Ca^ck<2`xCbGeK_OY$':V%3o5Z/knRL,Rx&@hS#g%f"
    "soI52b;7-JVZ&w)F^L=1b,a>f@Vpk<>xhME+xUg8+]9eLp9HF>@9c%Sj7*B-V#;GAac^5YF(k-wTGHo$,Qn@@:1rfo"
    "c*@nR<sn/EX[/^h:]>3`0rQHK68TyyIh6A^gtN@W5/M%_H+qOb+;Ulp`s%9P;9M,v3b)8708]3vr;Alj#KF]qo0ceF"
    "$`s9>;KryK&o<V`W,m1WB-H6Fk3dM'.psBI%/UM,M^r-mX&N@vP^aB(ln5t4y5O8:yT$&T:swUnU*9h3ZRSHHS/A4i"
    "M>aTy/A=ce1pAN_fC_7o'8Lu+lDmiJy$$2eYoiqtg)I]:%ZoVKL>W$J.xLbl4YWfJ1*7e:M#(&i:Ndx8WlL'`/0AI;"
    "ZV=o/e.p+gShrCnWhZ(,]jZ_+mVsem69'Y#Em+qf&9.PaZQI$CPlgGof8TP2JQOEvi_O`_CZy<cFhdZ4/A=[]=`fw,"
    "+e9)DyK3yP8+4s^2:q=2S*o8QjGGe=Gu7ND(DnLhOmcfF1Nejbqab;Nk/#<m1QCrO1pF0S9y5a3W4y]_Q6;1]9oVTl"
    "A,'`V'3@I&TgA%/RGmMcD>E+9_Y_>wMwP_IJs4;xx=<i,8_bm&@=aG9]sfxxJ@jhhTo=j1]tAGU>m;n&Qf>arl;7D;"
    "%_1:XK93wyJ<.oT[Qs4>P)rI4D=k`,cE4,J,;=,',akw#,oB3:b-p`Hgw_ewbR@.]bXkucX_9J$P_L4'Zt^e+PZD3y"
    "5dRBn,q/Wy^w7c=Z9f@9<sqCT[ZxbX;ss]]x$0CCnY#^Z@>UJ/f&Ul[#2%[$dbFFpG4J50.WHdyNNU_LR,SPj9haa+"
    "Tsc-G'>uX<#sfG^UZqn/cL[WR@nP=Y<Bf*]Mj/-tu#/2OS0=_y5rF3Il)jA0I'(HvP[+w+SnK[w9;Wrtp=0$ha:W&e"
    "V.]9Yx[+Dwr_'k3HtsO;dsbMR1XE$^qheTY)s=505ohu3l/MLr^2jO]yl-jdMuJptD/#Yikl-Qck^PE<(joA,'amYu"
    "yZ)@vtbXpk,M.Q:=Y7mMLm1;'CYJ-&h,;n]F^lRiZR7B2H=B7iEiiPVQ42Hg1ow1T'E`IX]Ndf3']WT$_L$sdI4nQA"
    "+F-)7h]SrP>aWdSgjPyxdJI/L)=Jl.2$Xh;ECu)2tQmEiD>0n,h-x>USk/ve).m_N%Mw`ab[Tdoj0T<N^64EX)IseA"
    "i$F#ss1Tao3B2<xC.jQf]y<1eJ<rDasw^IR7n^8HEH^#f@#,>ZXS6E[*4ip3VP,F.Y8vI6bFGJDFs8eA)dxDHl5#;M"
    "qp<vg[DsR^][:WbIo31%i+QYVo$E/jla(-4YqZ3Q]uV)XpFHX6><p38>GjgU8xg`/C^UQs;cGM;LeP<sPU^t+:qp<l"
    "O5G+npV5q,Ghqdi,4&+W*L4;;cDLsEAgF<y%A<EP;eo&$cO3O.@SvHU.q#;.&8e5o>0M&J$_:5Gx;n>0lTs&/EkJDu"
    "2/iF8oROR9TPE;0=Oib;4wH'CQPbXB-o]t*1:%d7Eo)>o+VXeV>;y8>0iLh0+'SjOL_w/^KX@g;D9&-g/*%jUOU4G5"
    "O.t6YfwVG8j_X0:LUdHQY>CU/x'`NodLMo<,T'D@c%f/#`NOr6awTR(.4Ry.NHq=NM:f%NEAnF0fZ6yk<hbbUhIEku"
    "0[Jtb>3l2hEhvQmZlSh2HaL7_YdL)U6'.1,EYthb$e;>[e3y*mkv@SUy#negQ&tNllH$q(g(>uLEgIs#iJDMHI^3p5"
    "Bfwb,V6'Wk/:g;XB)RV](f5NwsO8i98R+eR&GlX97f#L$oh4s<YrpudM,oyh.(Q:.rP7l3i,a.Gb$#rPHQ^<ZC8;%J"
    "=wpY>cBr%;MH-3+rE>,_ETK0-/6%L2VadICsg^s-Ra$N>m7b[9n]w_=6NI+w+P6HUNk^1;P>oN[8^-yZ,x:X2)MmAL"
    "h<:80'H/#v5=:B<K]aVi](Z9%)JY4cXI8JGP$0Zgit&l@f</sa.c[[>1W518sUk&IKo=jtg(/Z.+<Ki_W5<tlfhuZ)"
    "Lp#Rw.3s>i'>oOrCHemyjZc-pV6mKkcA$vT`#Ts:t;4$w.F[8QdNcY2T@%^Q:KQyS8gqIM&7C%-iDBXf$s9`qBOWAw"
    "B5-Bp03>&sal@h]5X%)n2q+0C,q<GCI]^^o@xu7lb<CoVeULMHp`3oq9(>1;%IOHU)HTpEWca+'GV,n.httH[yR.o/"
    "^Dqj7l>[Tk1,Vnkl_^uRa>-^0hwd1g>a5tjq40G#%<eqy$ARryMxRl]:2],_By#X<d81HIl72hIhhl3a8N/K^rLdOo"
    "i'aOtN3(O&dkvWIM.r;u*NM,W%t'&%g'pvWn]UYnF]<Y1d-a^$hv5B,)K<#O,.-tWq^PdV(gCYlpwMQ'lP;c@$nDCl"
    "1C'DWAIbf<#m2j9j-n7i-DypF_HOx&k(PK8LZBUp45BjFT-L1e%+C,sBVfNT/gY*:6'o24y_t4O7nQxZ$g3_Wu.ev3"
    "W6d`,F=)j$,sok;CUKp6Wc*CEh(6W_ToH-u<QSa$Gu[vakKSvF]jDrBaYdNb;R]r+562;m7@_QLAa:RWp2-C<&ZK:x"
    ")H,0@*K'4$9M2BYrjDVrs2CJ^9)nv#'Ql(&f>I-eq&)4Fp>Ppvovd#q`pq*,l&:)Ts=Y$$$jc`:'jwtuq`uLYOU'B<"
    "qYjdFSyBll$*ct.>>hYUS6nTGqr*%WQTx5VSeHAV1BQp^MHdG.)CNHRD([uvx8Pln8V]0epZi9w17OL$ov49FN)-rR"
    "KuwP+Hc1AwYd3IhH#Q((Y_m6Wb<qmXf$iI0G,XDi=eLw[q&bKLBWZ(e[q%*rC,8hu=@ysA1lp7fBS+c$e0%;wK:(9N"
    "VFMddc)+M'n8i+>y-jg(g8oN+#Ov.osZ=M7Dmkc]u,^x*KYPoij#o.X`y;As-UH8][][OWli3M)Yj#C.kMg_gH0o3d"
    "PGh%vj$w<h']TVrf`@r9B=mkw5$L;M_6HbniPi>*2K&rDXSV7FrHTa09Z4qNG]KW2Wa(LykQnkSl2BD8D1x%Q2+ZRx"
    "3`(%[pD<Kv]bfxEhg#C&By,*ch^+4;Q*9Ft;7bRXCF*jEct;V&RF7FEV8fpaNHOsN;RS,Z;<c:E3QZ;kqW*Hmi&2>0"
    "kFk@fYwLe3<eQ2HEWqStlh>X^6eZ7`Gq6SViVE'YowIHu/V9$]`:c0s=57I7obM(0q7;#BO=I;t7^Iv9k)/_Sa9bGH"
    "51Z/Tgrn`5g&&]6&LL,yWLnd;L>j%Qc75Wi8;p](x2].@T8Ea5/WgU.os(I[0iH+ErRo>Rc]_r4T1])^E.6xcsM5iy"
    "#rG0+g5&nO3u`Kd_Yaa>nm#n@cfH[cdJ+tTGUC/,Nyr_vVko/IOfeq,u/tiWDPnarPd)=Qt6J676.;1ymb`J5io#+W"
    "T-8o^&5,4#AO9jZ_IUoZ[lN7Z0-TaX2VyXqggOUo1bYkXTNKVn[2hp<8bI5Oo_GLDxJYlm=]%thpQ[n-@MLo:rGQ11"
    "S[Sb(K2duvql<x[T[YGx[1oT2Z-Hm,Lyn76M7Hc^f'gX3;OJQB^t)43Ql6E:2gEdq4]eZlRq5Q_YY-3UhaWWV*F[9/"
    "K-V'd35t99f9x,;G%fGmL8^Ny/fLXk05y7oF=b(a(ID6IsmE#fki%Dp70tS$l,YB_.%4+>B_^9ZHFTnV]9gQ0CA/,#"
    "cSc'xV_TihAo/*]^V5ui_>[)57rO[a'C&iv:j]]p[x*9d:_e^JR1qvM)9S'spccC4@b34'y]<d-M^UC6iVn9WLlLur"
    "Bm9TvDBy7`U)4h<R499&cJVd)YJij*J'x@l8tupqlu,vWoX1LF+p2ITD%joCDJ4Sd(XfcDUc_Sbmw]DW>4l3D4[O1m"
    "pbTy0;-k43T>`v9PRc^SExf>T#d$%#qlF+H@bCPKfJFRqTZSUDB%bFsFH=hpiOOeI%=h<&*7Vb>5@n]P,OOD1HPQ#0"
    "8wfihYY]6HSp_wst=[6c.`*XIe>%xX`X8c6J*SviUXn3X,7,Er^+Jn>.s=jxqN4KVWExQV*^tH+Q(T.RQRr)yE]UnP"
    "n,TVw6ebXf>UcYvp]@j5W*E%yKE[%nX&e7G2Qf4B+W`,(XakSvMn*[:XEBIxe&Y&]ad=rp*q7,VJVM*&MwY@MMe^93"
    "k0Dy/10-$BE^)P9k@^rdM9MZmlGoZD@H)-s2IM2)b1p12emWCVE@XEFNOo%:7S-*Qy.>_vahyde[mENKO5t'1QS<$%"
    "r7x]7h#r1_o1%uPVgYDjJF>UySZp1u4)r&4SgG)d.fww/IGlP1E]][EXw$us/)3hy`Tip;B:BEZMMI#*[e_F6]#l-Y"
    "mX#KHL0R]VmsBpF7t'Jbdg.[1ZTk)xRnA2CbEuos7'[+hB'-Sm[$uZ'[NC51]98E*B%NdI`JHNIssoA^_^FdStE&1H"
    "CT7]%K^31M0*I@(ZeE,//ros;Z&keD6jq*@etU[GPo$9koo/P@ZN#;xLp[AHnY7`iYeDP&0ro2y6R,@@N)/h68$g/D"
    "4AK[0DVo>kNm$X:'A$c_ZtmpE44[NBD_F]^oTr.iZuY7JJ<:RbK[Nau0_5_yYA&NbmbBD4iwn*>y%2%%NsZl@xY5<$"
    "1MYnu4c&R[]C#F_xNB6+`1l9p7l5.6lw]^qr2q#6hHeemt,tGkE>iSKB+:Ada-picyjO>+H65E[rH-BNhWg1T`'rtq"
    "H-$O5UO[_rB;n<2fN%`o1Y_4*E)p&$lb+u=H+i.e.e5LqP'>JO-r'>1)*P&g<YG)[)VW2[5NdR(j/%)Pcf9g#iWB@h"
    "BiYD+Sm(n$*G+'YhR94oCXf4x[ien/KnboLO16jSsSy3]l>:6D3d[ao4G3M[bJi--5&`I/`lxLk>d$c8srmmo$oqW;"
    "@56$.#fOTJin^82tc3uO`stbuN<pJeVwT[t[xVKX*0mS.Zp&Csesy+WyLb4l5q.ZS2HYOpV3wg'^9)7(sZl/7^4+'<"
    "4F.FvRYtAAyq9yXJuMK3$:=X#V:'/>J/3qEQ>a'AEpu6ekFCOs(e=DA&q9/7kqxb'o@GAQsCXX$FA&'3Cm3[)^Xslc"
    "KxChP1Vh:xep)VPjh$nwqAvi]&sFXj2x9nWk:KU*V`4GC&QS2n-6UbctS]aWPQJj#F,LK:-2B6()O3jldhH-y8TH1B"
    "o4(Cyr7T2ZefF)'1^S/.Js<01RUSZ&Y>u+uYL;sEp^I]8_gVyN&vu1OeCXZ4q;-Qv=UyjR0;%r4K1>&MRTu:uh.<0Y"
    "4VQ`:O8*_M%eWm.&gX<VW4vOFZSvFD<W0^0:7.Z8AB;4YQt(;raV7+rhlZ_S-)xa;bCmB,u9^YRSvGT^IZ(ES47h1X"
    "19KbPDcY[qQ+/=#L;w<r>CU8E7A]9fKylpVLR4n8iEtLmS_^u&3@4LH8aM[K3$)RNL$`-WG5+h#LKDdm`;8fx^:^J<"
    "3:wv2[jvT>pe,J6#+G9&.kDa'Rkgp[f'Y@Nyrv^A-j;4=q2yFRKl-^@d$H,_e`/I%O=P/7%h+o]>@A/l<.^'Q.]l51"
    "LTK'd.p)x6hJM+;'tU;&T/]Eh:C3KqQrmAcqEc*8(o]B@R'KinI=(O0k`Fx,sYxH5a8D,F$pPEQ`10<whn,uVTPK)`"
    ";g^IWQ#-:B'[%UItELF'@rxU_j$nd:M4N*s@%a#`XE2+O0vhoXHQv46XY:Tf[(RSQgmTBR'6O.DZXP/,$RGM21Gbaq"
    "@f5=<bdnfM2C<YL<j75+`@,MBMsHaS$[TW*/Ea9N$(=B:9o6=e4nq**(N&k=6,[0)_rf6%#[kCkx&b_h'XUH2&_@UP"
    "$ycr;3I>bvnys-*^cDL[^%7tjbK`N`d=G)wF(fAQ%f<%lomJTA>x@N+4>qSg;/#EN4@Ie&Zh1<30G/-pq9pFiISa%j"
    "ap%27@TxP)J33DaN_9ikq+Gpk@Jr*6&nne(V'Zv:qI*Z2<^t(YoLwhTj/yV4l0xE:D1_BL)=-*srtHlL$IJMdRpiUm"
    "5::Q6,.vjj]U5vS=W9i`8RR^1%ex'e`48HY*7n^gPcW^PP%ZoB$&.+l*NWhDlJQ0<O#&DB-OrFfOrau0nqG5#t]Z*&"
    "S,M=.c6Zk.X@h:cWe_pOE-pfH>]Un)ZRFTXA`3n<F(QY>MWdBwJ$@2Umf&cTJ6=]dOU((/yjI@dOq^[L<erh<:UThg"
    "f%[^3qF$pMu*mLJZA-L7+ruNb7=a3/HW6RCWY69o/%%>(2S-AWDXS]HtulW`P50L%`pPe#@LYO6_4fP](3f%#r=.jV"
    "I_;8>pgUkm4:h5]`OA#Ve^kr36U<KG=vUU'+Sy@0[kn-V#_5B2i#g0rGqXoC9MamIK@ULu@Gv[,@,<7t@n_3-oNH_,"
    "_qdJ`76.aCgdOq%.%WYBAi43SF7m:0E#p5d4O0i=2dd&71@%*yKkg1)lCjmy>HXYfB`M/iht^EP(#[mIFDiO.Elq@,"
    "Pw)RCDt:])cgfl]93XX>Q_2EfHj71GlRcBl]Kn.Nc-ffJo:9G@sYhMmle,KSpf',;V+QPu=/)L[`gt4I1i&+hyRk&i"
    "f;`Z%+4CuuW>6nJsar5i;&/enW_&1g7i>X.[p>i=aiFb*rs%'H>rW7v-Cp+WQ;;^;^YZ%<(C#69nMb#127C=CtO+_4"
    "&[-Y%U`^::M]yd2JL:n:O,@arfj#^l%kk'qJ3kb,Vh/x#CK79:S34GMdglB^-uSV_1u]HI'T109&U#A9*hq53aYf1g"
    ")`ca8'JX]'gI(>hNQSlC%Btbqfl(VbJSEkqYD>nIQdrFUlBwjeJ`=dE5BhPi/qGiu4.sXFNsqZ2VKS'Yk@f-uHhxyA"
    "X6hoL+(%-'c364+V1M+uNi3ygXF0K.pFJ';pbf/'V;IIx'7>J]GB0Iy9ln<hKTlYi6Piv:1(=tCjv_h^S/m#_E$RZb"
    "&,O4XGO&$V@*wr@<`JoA`)IXE5$o2X7e1yj'DuX*[eeIYU(B0s_6sM[J>49yf5(vh0.Wyt>Vdf80jjm(gKqk&HY:eo"
    "VKLqR]j0-QXaU#ljRhme9Cr@a-w^/UEC<Pv5JP2A,Et_axAknJKi8K1olmBXanq_V0PuFU@71$kWOUBJJ+y%g77=Mg"
    "f2MYd`#)Zx4o.*>gTEDy<7%htOJ'oAQ-c+O-wH>yf*%WKsoX,DETstJ(V)5wIiPGP-R/2H5nAX>%xR_`+@f.m3XAy3"
    "=J)5=bfZ(Nh4P[Clk@<]AWGmD63L&((E+$)%`gx9BbtHe`p#NB9dXk)[62seM2r+ZMId97*t'bmfxL>*_VKe&U]H2q"
    "HQ#SHZ@/Z,&Mc#[Yefd==yxe/Z@p,AO+it0$aJec0B$i6lmt6RW+=K1Ggh8m3CoykQaBwv3_[Pv5G1^Gt`>L>R=A-6"
    "W<LVYWWp1XP4_S)oPTY/bg9su;teINj,tg5;c.3p++SEV/sZ=p.9yDG/;eMo:i]kqU%ajaqM3#ZfPZbw.y^@R;2CQx"
    "HAyOlH%6PYtd*HX6F)B72'AWh`WP-L7WRex7ilh8TQT)I]Y,V$l^+sCk00-6dWf8Pi:OIR,LyjiZ;&&dH]hn#2ISwt"
    "j^Ge*3;N&DCGTp*'D[7ei,h$LYv;*h[,KUQ8`wPZiE3'$nD'Mh1mW[5=:B[JeTPoby*4]HV_C/Wr,FK$@ZQ)udd$hE"
    "0=&1jWsp9%yZsnJ^[ifp$`=<936tQajm4q&TsFIvL^ghh^Ayfco[j9AD15^dqsEPLYBP$7ck*9Z2gL(o98$.ZX3DcQ"
    "<)(1/-PV;0xW^<[TEcWF'jf)eBKGIhtIcN=c#:*[2^GhRXbucxbD>w_653uDUtmU2e#[wXqyw^(,8>:^c8IG24m-M$"
    "MC.OYHwSqt>*Z^952qmOhph8f&4YWD6=08e*`H`-mK`kTmQvBxL-Bc*>gt(B:YS_4XhoDs`Y,^EBu>(^NSIN`cr$&4"
    "59tFv&QPaX8be/K>il,+F'GJCSDJFkHYWpQ7bj7Vy(=Ce%$X:rXky'0q<b7W]DD$%`kn6oO-snbF6*vYSODa=fl'SD"
    "^+M7RQ3;%ZaymKY/5EPCElQURf[hEo9.L7aOLC7PXd@J&06,/7TjtOZ)3CErIrAt*l-%agIi)0]8`>8B0n&OyO(BSh"
    "@dFW,csnaJ^_wuyaMZ:##my0H0LvYh,L*++8x%K<4+=&l8A:fJj%*Q>sKk9rDJHs5ECHTag`;6.TSac/4U#lXT_L+Q"
    "=Gu'w5_T]lYrV=$kR:gVCxWIN<FCx(@hMW;3'/j')=p_,9B0`)5T84j4IknC^^9-Vs9r.Yo/mQA=,*(%M9jZW/@e9h"
    "oelVF;.NS@Zo>MbZBYdkB/JMpckCX^22rXq;-[Eim16s;>M@K+(6jf'@tX&qhhYI<s5j#`W`DEb1;sbR`lAU'`=>)q"
    "c^NmKD)I*cH1<<0pNJ'l:nUsvQ]<)CE8W'fNVA,6>)H-mBZVyppDG_gbQKUY:*d)a+vG*9OrEZ#52-F1*>9[LrU0XD"
    "SqI+T4cXPPc3MKvo=vGvA8^P>>Mh89jZLmU-kunn'evs+=TRr'k,-iK/wf;9%6_Tw%1HnYfw3HBr-cTMSJ6pO+70@v"
    "jRCYQ`A^$1>1-:3%@AKxoN2Y-REG*1(`'7yy,I.Ta47fQG<]+OK0G1=]<6[y%ib;vtsM]uV60lfgfOh#ObQP)rei7u"
    "O4x;X^r<.nc)`DHC-HaB;*EP-jU<8[c_R4&70R.aT0diqFqG);;/I#3s[3,kmv;9R&diKQ7Y1dsx0yi6=%i(Fi9=3m"
    "(3N*lM#^qP(1NjI_5*/^/gerueKLhw$VvXylU7K,72U=1xe->6Pv1u1IRN[E+(Ah:6g>TRM.oCy&:cdTV_7bbUR/1k"
    "C-av^9A<V*y+P0JL&MqMJlm7+XcvlqKtcI%6,-HHp`_4PjE&0a1VCc`6jn,PD>#6q1iT52'fo<yGC]1WB5deZGFubv"
    "=qi3%P@LJh6qtMi7wi9M;PD7VT-RP7C*'i6bnHPrhVf/=%=[[hOx`6,+5/;eFw$d<CN#Y>Y@/AZ]$rk7Xt]Xs'n)^F"
    "/$j/<$cwX6=,,^dEsZShE_BiiPg(#u^x`h&$R*6.^**(@#2di$7l<QUs$gtuNrf`eM5_^oOqmJcj95'dpDuMX^R(j:"
    "9c,uVdtvGw4Z9+<FN[p:5Ej]bGl7T1Xm,9LRViMRn[5R@O5mZf&eRVBe*ISiNs5yEEr[.mf@g:g7EB^R8s1Vbau7>w"
    "*dtbd>h/%bi]TN;#h87L3),;Jf*'jynC`RtDfPjFjT5#;5#=`/YkffAiFPY6_eld*@^T,jg_Z5iUtlck+q)q+K`+3:"
    "+%xh$SUIWS4M)u`8T+k.4AE4#e*a<3t80rbR;UO<TsXyTZewG^LRfLUy:tkNaHXs'L8((Q$LP]:Of`FY1UmH`2c5nX"
    "[VFOg%8`)sa0mQEP5;o*M+;l[OXtI+y-=SJn>y&b9&*$`iRv9vAKA8eC`J66Cm-Fjs=-@$[qFc)]1;G%nKuoG.b:g:"
    "37F$T%DZJBd&Ev>h31alSj6+@@34W8q,:4FfD]JJqeqX4+31VE60puV+NN=5c&`avHUB.^K0sq3d=fqjcg,H@m>;uC"
    "pB8v4C:>$WL7FuV82nJ1=k/(+_6=R=_yt4@_*#V.4PtdoexN./S]Sx^dDM:@;(aI*i7$(uBb%U.EuK,^;(>uCaTo/G"
    "q2NGPWWXrT]C05/bo4rx.-#_yD<<@.:1tg'O`+%+0R^$xUVY%M=0exF`6PXx<x'C7TBMLOG+N>EQnWD@.8.a1nKC'2"
    "DVN[i)1LLq[HvZ0$T#WT%5rQ8(Q*cr0+DlCBJgq$'tu59D;*T7i$oi@x64V4xkd7]xXw%WM)fD&ZI[+i@v)xAC;-p^"
    "_sQQy'HCQ8PuGo<pW,HI4W7hLK`OE6dm]jD2W>(xsTMk8b2#'/4:,y3pHFj_t1wW-GOOibktpkOQ[gHQ[sw_<goiQV"
    "/jVS>UBn56Ii3yDJ+mmApb&,7u4ygglm-2%04-=)>;<^g9#D4++E@SVE])NZAnv`pq5RKI8c%<3%NM3Wpf4s%NdZXN"
    "$:u75=pMq8fi7>]Uc#[[DCM(90hsad:dyDVk)Zy(W-KV1%%y/8`Fqeu9kyjw>FP-,Tj`3etaji2%Nu$S7a=*QgL`BG"
    "qF<&GJ3Kf66L#][l=j9nB<2&vybk=yX<VQdOWbcxAhd*Sh=j19k:'RUnviE0rOHngHNei:.@VvqLpeM&tP*X*xAFSD"
    ".=G@)PPqt--]j2vKm0;Bt(5'fO]FulmBo9i*2ZYgtm<^yi.twd'<o4g>RR`1n'I@6W6'Vg%tO-Z13d4N.t]B6BGjNI"
    "lV<LXT:BHhg0WRVNOegWT7R-)R313MZ[hd(V7,),IH%06S;J*gT#Lr5XApj6Lm]_6)E8d:;+oZ]XWm9L._dhja9[`3"
    "[.'2##6/m1lD]i_)7'6[aZLG)SI['ag<pj.yTAKhNAZi8SGWaw/G<ST[Cvmp;AImi./juLhJAo3mWniI-fQ.MA+d0S"
    "Oe4BWlxq1xL*F9'lG*Z)@Q6I&m/]pi_bjiP@w*[lH-MaSY2ymP%NO,@Z[GQoynI(G1.F:`LaqiKgxr>N_y@pW$w:kK"
    "mW.m)Y4;#/K-AS6auORyL%Iu')ZsDJPDAmN>Wsgu<)bP9;*fQ1r<,_dSlcEM$)weg19kFBkoJE;mr*hn_xvnj5vq8t"
    "F[]G>%,6gLTtT85;2=UAHUx6``wHa<Z]_x&:X'dd*CUS&jMW.xFv#XS5D.9[8y/B*[A90[8EmefWkoNZA;ZH;;<kBN"
    "JR+a*s1QM'Fd8-IYp'..InS5)i`a^=t@ur4/1j$_`U,fPkqM-WS+O)]Ti+k9DwZx#n=rH/n/to+N[TE$3Zl5NW>KTB"
    ")oi:+%#w+yA497c/dWE]<SD+I+fc><cP^Eu0&WY3In:+,S5ANrbkdH1R>DQ+I9S**hh_JXA67Vr3C#_v:S^^*Ay<TC"
    "r>>j6<80lG]MR6&;fiyP)G*IYty:[nUpCJI+m>EHt#x0tCEk>;Cp)C0c#y)+pT9;gL(vg4kGrAT5:6*OHx'Eg#s/kT"
    "LiF1/[H`nEVh_1CqlnG2a#DCHj]0K7YtqM@<%`x,0*X5AP<f#Z.YVx'Dni3;[-@yKU&JjV;(VgeOm/WsTpYWm5^V2&"
    "WP<fWL+)X_T9I/EO74bgcR/cMu)_6A(#EeEXX<xPlpMlEh15y)1*lU-*_B.T&4ai_0j6B(eYq_q%O14<s-PT.N0cvA"
    "nVlxdC7/]vTt&CMU]UthXDt@469:cgXKWD)Qb#P=xAJZ[+bEP5f<#wpLt-PsXfpq,,E7LVnVTb<.7LCnc-H>_H$92-"
    "dE4Epk6<b8(;E5<WC0hD+7H>Yt_ydt^'[-3Rw.r6+M0%#@I/l%^(QNW5tZ2.ZVn$my]nI31mNTR:0)J;Pw0KHmwuW]"
    "T$=,KE8_>J,-VOb$WpZjIuQ8EjSfu7ps240N;E5jZJ[u#4ra#YtaeyT&b#YyH.Yx/+dSk)h363`&r/IMH&AchowcgD"
    "#nK41IRjDNZ]$&HnsopUMx@irB:p+jU.>d'hZetfI`=$T)id2WkZgq.5hrimNL@S$am<FpfQ5ON*pGZw11lM'Iwtj-"
    "5Z]oDdUH<Lr_$p`Rw(.+n/VGZh5</l/O-L'SY/Pu;0rnAD7]Xd=aG[V5TYE2p.J2Jd:L*lbRsj--(]_36Kd=.4Y-$S"
    "8mLWoH=qoi5D(;;_&N^P<XcM-F_HMQnm)GNyFV4Zxxnx>@WX8B&o1PsxLXi_WmVto`X^Dpj>JgJdYeyZ[=B,o,sqqN"
    "c8xw(D^0=U]AOSq*hwex.s'KiG(+yX-+_BrIF2N5t7[>Yb^X(Qc_+T8htJPt:t+Fq<v-I6-Fwv]eZ7QuLfCliC49*H"
    "gHPO'ni8ln<(gXlC#sKMM7r6BeZ.C2@l=()8Is`QI_UL<Wgd'YxBIdA>AkF0](>G^J6g78.a5cX/eTQa+b-q;)(YS4"
    "Nr=28yut&UO.(iR6eT`j6Ei])u710jovWxvqu.F2BO6xTjeTenS/Bhx,o*r4^2g.n3=X=tlB%v^Q1q1y0ty<b+1&c*"
    "&p(wURn3K8Wtq_u,wRB('I`xLX[<DWZ97tJooJV>x*e])3pn1@gd10gcHjO)u%Yub#ND[mHFg20[iTna^e'ZshRnif"
    "IE>&yX=yLYu,+S#T:>XcnH'ejIgJm&OK>M:m_9G+N-rD(t2mVLJ=SAgkBkc=eafcgdN4ZmU.Ep@%7#cDD<@=T;QOW,"
    "S[;;K-*`kDfB7#fg@Rde3:YV#$nRHxWQ'Kp7Ln8DO56Kxha<$Y-JX58(2p>eG'yf@Wk56&&p'Dp18Z0)gH@Rb]:4x]"
    "qwR*tmn@2GglB.*GlE.2'*g#E+m^J]Q5'C'";

// Reads the bytes behind `text`.
class byte_reader {
public:
    std::uint32_t next() {
        if (left_ == 0) {
            word_ = 0;
            for (int i = 0; i < 5; ++i) {
                const char c = *at_++;
                const char plain = c == 'x' ? '\\' : c == 'y' ? '?' : c;
                word_ = word_ * 85 + static_cast<std::uint32_t>(plain - '#');
            }
            left_ = 4;
        }
        --left_;
        return (word_ >> (8 * left_)) & 255;
    }

private:
    const char* at_ = text;
    std::uint32_t word_ = 0;
    int left_ = 0;
};

// A carry-less binary arithmetic decoder: [low, high] narrows with each bit, and its leading bytes
// leave as soon as both ends agree on them.
class decoder {
public:
    decoder() {
        for (int i = 0; i < 4; ++i) {
            code_ = (code_ << 8) | bytes_.next();
        }
    }

    // One value of `bits` bits. `ones` holds 1 << bits probabilities of a one, in 1/65536, one for
    // each prefix of the value.
    std::uint8_t symbol(std::uint16_t* ones, int bits) {
        std::uint32_t node = 1;
        for (int i = 0; i < bits; ++i) {
            std::uint32_t one = ones[node];
            const std::uint32_t mid = low_ + ((high_ - low_) >> 16) * one;
            const bool bit = code_ <= mid;
            if (bit) {
                high_ = mid;
                one += (65536 - one) >> 5;
            } else {
                low_ = mid + 1;
                one -= one >> 5;
            }
            ones[node] = static_cast<std::uint16_t>(one);
            while (((low_ ^ high_) >> 24) == 0) {
                low_ <<= 8;
                high_ = (high_ << 8) | 255;
                code_ = (code_ << 8) | bytes_.next();
            }
            node = 2 * node + (bit ? 1 : 0);
        }
        return static_cast<std::uint8_t>(node - (1U << bits));
    }

private:
    byte_reader bytes_;
    std::uint32_t low_ = 0;
    std::uint32_t high_ = 0xFFFFFFFF;
    std::uint32_t code_ = 0;
};

inline int level(int pixel) {
    return (pixel > 0) + (pixel > 4) + (pixel > 10) + (pixel > 15);
}

} // namespace detail

inline void decode(data_set& out) {
    std::uint16_t label_ones[16];
    std::uint16_t pixel_ones[8][5][5][32]; // column, left, above, prefix
    for (std::uint16_t& one : label_ones) {
        one = 32768;
    }
    for (auto& column : pixel_ones) {
        for (auto& left : column) {
            for (auto& above : left) {
                for (std::uint16_t& one : above) {
                    one = 32768;
                }
            }
        }
    }
    detail::decoder in;
    for (std::size_t n = 0; n < sample_count; ++n) {
        out.labels[n] = in.symbol(label_ones, 4);
        std::uint8_t* image = out.pixels[n];
        for (std::size_t i = 0; i < pixel_count; ++i) {
            const int left = detail::level(i % 8 != 0 ? image[i - 1] : 0);
            const int above = detail::level(i >= 8 ? image[i - 8] : 0);
            image[i] = in.symbol(pixel_ones[i % 8][left][above], 5);
        }
    }
}

// The whole set, decoded at the first call (a few milliseconds).
inline const data_set& data() {
    static const data_set set = [] {
        data_set decoded;
        decode(decoded);
        return decoded;
    }();
    return set;
}

} // namespace digits
